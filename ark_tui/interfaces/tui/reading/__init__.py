"""Documents as rows of styled text: Markdown read into blocks, and laid out at a width."""
