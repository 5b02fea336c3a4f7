"""Memory: the scratchpad, tasks, conversations, and items with a tier and a layer. One file per family."""
