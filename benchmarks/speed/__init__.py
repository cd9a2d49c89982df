"""Our own kernels: their times, and their instructions as a guard that no load disturbs."""
