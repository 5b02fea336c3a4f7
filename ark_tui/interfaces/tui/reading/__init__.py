"""Documents as rows of styled text: Markdown read into blocks, laid out at a width, or as it is written."""
