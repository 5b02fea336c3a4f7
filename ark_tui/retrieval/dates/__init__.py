"""Times as people say them, in English and German: `words` they use, `days` they mean, the `grammar`."""
