"""Reports and the text helpers that all interfaces share."""
