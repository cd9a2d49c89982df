"""Output layers on a GPU: time per row, memory, likelihood and precision.

Protocol: 8,192 rows of 512 features in bfloat16; forward pass, gradient of the rows and all weight
gradients or the fused update; the L2 cache is flushed before each run and labels are new in each
run; median of 15 runs. Steps are replays of a CUDA graph unless "eager" is said.
"""
