"""Encoders: from the rows of X to the dense rows of an output layer."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class BagEncoder(nn.Module):
    """The weighted sum of the embeddings of the features of a row, scaled by a layer norm.

    This is the model of fastText, with values of features and a normalization.

    Parameters
    ----------
    n_features
        Number of features, the columns of X.
    n_dimensions
        Number of dimensions of an embedding.

    Examples
    --------
    >>> import torch
    >>> encoder = BagEncoder(100, 16)
    >>> features, offsets = torch.tensor([3, 7, 50]), torch.tensor([0, 2])
    >>> encoder(features, offsets, torch.ones(3)).shape
    torch.Size([2, 16])
    """

    def __init__(self, n_features: int, n_dimensions: int = 512) -> None:
        super().__init__()
        self.n_dimensions = n_dimensions
        self.embedding = nn.Parameter(torch.randn(n_features, n_dimensions) * 0.05)
        self.norm = nn.LayerNorm(n_dimensions)

    def forward(self, features: Tensor, offsets: Tensor, values: Tensor) -> Tensor:
        """Return one row per offset."""
        bags = F.embedding_bag(
            features, self.embedding, offsets, mode="sum", per_sample_weights=values
        )
        return self.norm(bags)
