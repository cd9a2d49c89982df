"""How a fit scales with the nodes of a cluster: measured on this machine, simulated beyond.

- ``python -m benchmarks.cluster profile`` runs fits of three shapes of data in one process and
  records the CPU seconds of every job.
- ``python -m benchmarks.cluster check`` runs jobs of the same lengths on up to eight nodes (needs
  Ray), and compares their time with the simulated one.
- ``python -m benchmarks.cluster measure`` runs one of them on one and on two nodes of one core each
  (needs Ray), beside a fit without Ray.
- ``python -m benchmarks.cluster memory`` trains in one worker whose memory is a quarter of X, and
  in one without a limit.
- ``python -m benchmarks.cluster pecos --python PYTHON`` trains PECOS by MPI, beside labeltree.
- ``python -m benchmarks.pages write cluster`` simulates up to 64 nodes and writes the tables of
  docs/how-to/cluster.md.
"""
