"""Measurements: each module measures one claim about speed or memory, in ratios of one run."""
