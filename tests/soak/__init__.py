"""A long stream of predicting and learning at a fixed memory, with kill -9 and restarts.

`python -m tests.soak --minutes 60 --kill-every 180` runs two processes over the same endless
stream: one is killed every few minutes and starts again from its last save, the other is not. At
the end, both have the same precision, nothing beyond the last save was lost, and neither has grown.
"""
