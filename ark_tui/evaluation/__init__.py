"""Measuring a ranking: judged sets, metrics, intervals, ablation, comparison. Searching is done elsewhere."""
