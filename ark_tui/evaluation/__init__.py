"""Measurement of rankings: judged sets, metrics, intervals, ablation, comparison. Searches run elsewhere."""
