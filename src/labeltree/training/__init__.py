"""From rows to weights: feature weighting, forests, and the classifiers of all nodes."""
