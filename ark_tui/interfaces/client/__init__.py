"""A home that another machine serves: the client side of `--connect`, imported where that is asked for."""
