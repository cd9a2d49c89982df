"""Training: feature weighting, forests, and the classifiers of all nodes."""
