"""From files to drafts to the store: walk, read, chunk, links and dates."""
