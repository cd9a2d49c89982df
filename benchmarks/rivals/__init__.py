"""Other systems beside labeltree: same features, same rows, same measurements, losses kept.

One adapter for each system, each in a virtual environment of its own, each phase in a process of
its own. What runs in a rival's environment (`worker` and the adapters) needs numpy and scipy only.
"""
