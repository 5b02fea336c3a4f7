"""Every capability once: a typed function each, from which the interfaces are made.

`Call` says who asks and what is open; `operation` declares; `catalog` finds what there is.
"""
