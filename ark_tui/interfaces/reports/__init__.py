"""Reports: domain objects as something to hand on. `wire` is the one JSON of every face."""
