"""Documents as rows of styled text: Markdown is parsed into blocks and laid out for a width."""
