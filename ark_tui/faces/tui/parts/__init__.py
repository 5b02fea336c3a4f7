"""The parts that panes are made of."""
