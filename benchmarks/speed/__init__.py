"""Guards of our own kernels: each asserts the answer and reports the speed."""
