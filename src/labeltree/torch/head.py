"""What the output layers share: the weights of the levels and the tables of the tree."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from labeltree.arguments import check_integer
from labeltree.torch.layout import Layout

if TYPE_CHECKING:
    from labeltree.torch.fused import FusedOptimizer
    from labeltree.torch.search import TopK
    from labeltree.trees import LabelTree

#: Rows of the root are padded to a multiple of this, which matrix products on a GPU need for speed.
ROOT_MULTIPLE = 64
#: Standard deviation of initial weights.
INITIAL_STD = 0.02


class TreeOutput(NamedTuple):
    """What `forward` of an output layer returns."""

    output: Tensor  #: log-likelihood of the target of each row, without a gradient
    loss: Tensor  #: mean negative log-likelihood


class Level(NamedTuple):
    """The nodes of one level below the root, whose siblings are adjacent rows of the weights."""

    weight: Tensor
    bias: Tensor | None
    first: Tensor  #: siblings of group j are rows first[j] .. first[j + 1] - 1 of the weights
    bounds: Tensor  #: groups of labels below group j are bounds[j] .. bounds[j + 1] - 1
    width: int  #: largest number of siblings


class TreeHead(nn.Module):
    """Weights and tables of an output layer whose classes are arranged in a tree."""

    is_softmax = True  #: whether siblings have a softmax, or a sigmoid each

    def __init__(
        self,
        in_features: int,
        tree: LabelTree | Layout | int,
        *,
        n_prototypes: int,
        bias: bool,
        device: Any,
        dtype: Any,
    ) -> None:
        super().__init__()
        check_integer("in_features", in_features, minimum=1)
        check_integer("n_prototypes", n_prototypes, minimum=1)
        self.in_features = in_features
        self.n_prototypes = n_prototypes
        self.layout = as_layout(tree)
        self.n_classes = self.layout.n_labels
        self.widths = self.layout.widths  # plain integers, which torch.compile reads
        self.fused: FusedOptimizer | None = None
        self._cached: Any = None
        self.n_columns = self.layout.n_head + self.layout.n_top * n_prototypes
        padded = -(-self.n_columns // ROOT_MULTIPLE) * ROOT_MULTIPLE
        middle = self.layout.n_groups if self.layout.middle_sizes is not None else None
        leaf = self.n_classes - self.layout.n_head
        for name, rows in (("root", padded), ("middle", middle), ("leaf", leaf)):
            self._add_level(name, rows, bias, {"device": device, "dtype": dtype})
        for name, values in self._tables().items():
            table = torch.as_tensor(values.astype(np.int32), device=device)
            self.register_buffer(name, table)
        self.reset_parameters()

    def _add_level(self, name: str, rows: int | None, bias: bool, factory: dict[str, Any]) -> None:
        weight = (
            None if rows is None else nn.Parameter(torch.empty(rows, self.in_features, **factory))
        )
        offset = None if rows is None or not bias else nn.Parameter(torch.empty(rows, **factory))
        self.register_parameter(name, weight)
        self.register_parameter(f"{name}_bias", offset)

    def _tables(self) -> dict[str, Any]:
        layout = self.layout
        top = layout.top
        column = np.where(
            layout.group < 0, top, layout.n_head + (top - layout.n_head) * self.n_prototypes
        )
        tables = {"position": layout.position, "group": layout.group, "column": column}
        tables["label_at"] = layout.order
        tables["leaf_first"] = np.append(0, np.cumsum(layout.group_sizes))
        tables["leaf_bounds"] = np.arange(layout.n_groups + 1)
        if layout.middle_sizes is not None:
            tables["middle_first"] = np.append(0, np.cumsum(layout.middle_sizes))
        return tables

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw new weights; biases become 0."""
        for name in ("root", "middle", "leaf"):
            weight, bias = getattr(self, name), getattr(self, f"{name}_bias")
            if weight is not None:
                weight.normal_(std=INITIAL_STD)
            if bias is not None:
                bias.zero_()
        self.root[self.n_columns :] = 0

    @property
    def n_head(self) -> int:
        """Number of classes that are children of the root."""
        return self.layout.n_head

    def levels(self) -> list[Level]:
        """Return the levels below the root, from the top."""
        middle_width, width = self.widths
        levels = []
        if self.middle is not None:
            first = self.middle_first
            levels.append(Level(self.middle, self.middle_bias, first, first, middle_width))
        if width:
            first, bounds = self.leaf_first, self.leaf_bounds
            levels.append(Level(self.leaf, self.leaf_bias, first, bounds, width))
        return levels

    def weights(self, suffix: str = "") -> list[Tensor]:
        """Return the weights, or with the suffix "_bias" the biases, from the root down."""
        names = ("root", "middle", "leaf") if self.widths[1] else ("root",)
        found = [self._parameters[name + suffix] for name in names]
        return [one for one in found if one is not None]

    def tables(self) -> tuple[list[Tensor], list[int]]:
        """Return tables and sizes as the kernels take them.

        They are looked up once, because that takes longer than a kernel.
        """
        if self._cached is None:
            levels = self.levels()
            tables = [self.position, self.group, self.column]
            for level in levels:
                tables += [level.first, level.bounds]
            sizes = [self.n_head, self.layout.n_groups, self.n_columns, self.n_prototypes]
            self._cached = tables, sizes + [level.width for level in levels]
        return self._cached

    def _apply(self, *args: Any, **kwargs: Any) -> Any:
        self._cached = None  # tensors are replaced
        return super()._apply(*args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "_cached": None}  # a copy has tensors of its own
        state.pop("forward", None)  # and no graphs
        return state

    def regroup(self, embeddings: Tensor, *, random_state: int = 0) -> None:
        """Group classes by other embeddings, and keep what was learned.

        The sizes of the groups and the head classes stay. The score of a class in a full softmax
        is kept: its weights are summed along the old path and distributed along the new one.

        Parameters
        ----------
        embeddings
            One row per class, such as the mean of the encoded rows of each class.
        random_state
            Seed of the initial directions; see `cluster`.
        """
        from labeltree.torch.clusters import rearranged
        from labeltree.torch.regroup import transfer

        if len(embeddings) != self.n_classes:
            raise ValueError(
                f"embeddings must have one row per class, {self.n_classes} in all, "
                f"but have {len(embeddings)}"
            )
        old = copy.copy(self)  # with tensors of its own, while the optimizer keeps the parameters
        old._parameters = {k: p if p is None else p.clone() for k, p in self._parameters.items()}
        old._buffers = {k: None if b is None else b.clone() for k, b in self._buffers.items()}
        self.layout = rearranged(self.layout, embeddings, random_state)
        for name, values in self._tables().items():
            getattr(self, name).copy_(torch.from_numpy(values.astype(np.int32)))
        transfer(old, self)

    @torch.no_grad()
    def top_k(self, x: Tensor, k: int = 5, *, beam: int | None = None) -> TopK:
        """Return the k most probable classes or labels of each row, in decreasing order.

        Parameters
        ----------
        x
            The rows.
        k
            Number of classes.
        beam
            Number of groups that are searched in each row on a GPU. By default, groups are searched
            until the result is certain.
        """
        from labeltree.torch.search import top_k

        return top_k(self, self.check_input(x), k, beam)

    def uses_kernels(self, x: Tensor) -> bool:
        """Return whether Triton kernels compute the answer, as on a GPU."""
        return len(x) > 0 and (x.is_cuda or os.environ.get("TRITON_INTERPRET") == "1")

    def check_input(self, x: Tensor) -> Tensor:
        """Return the rows in the precision of the computation; refuse other shapes."""
        if x.ndim != 2 or x.shape[1] != self.in_features:
            raise ValueError(
                f"x must have the shape (rows, {self.in_features}), but has {tuple(x.shape)}"
            )
        return x.to(self.compute_dtype(x))

    def compute_dtype(self, x: Tensor) -> torch.dtype:
        """Return the precision of the computation: that of autocast or of the weights."""
        if torch.is_autocast_enabled(x.device.type):
            return torch.get_autocast_dtype(x.device.type)
        return self.root.dtype

    def extra_repr(self) -> str:
        """Return the sizes for ``print``."""
        middle = "" if self.middle is None else f", n_middle={self.layout.n_top}"
        return (
            f"in_features={self.in_features}, n_classes={self.n_classes}, n_head={self.n_head}, "
            f"n_groups={self.layout.n_groups}{middle}, n_prototypes={self.n_prototypes}"
        )


def as_layout(tree: LabelTree | Layout | int) -> Layout:
    """Return the layout of a tree, or of a number of classes in their order."""
    if isinstance(tree, Layout):
        return tree
    if isinstance(tree, int):
        return Layout.even(tree)
    return Layout.from_tree(tree)
