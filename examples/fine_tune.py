"""Fine-tune a Hugging Face encoder with a tree as its output layer.

python examples/fine_tune.py NAME, such as sentence-transformers/all-MiniLM-L6-v2
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from labeltree import datasets
from labeltree.torch import FusedOptimizer, TreeSoftmax, cluster

Tokenize = Callable[[Sequence[str]], dict[str, Tensor]]


class MeanEncoder(nn.Module):
    """The mean of the last hidden states of the tokens of each text."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self.n_dimensions = int(model.config.hidden_size)

    def forward(self, **tokens: Tensor) -> Tensor:
        """Return one row per text."""
        states = self.model(**tokens).last_hidden_state
        mask = tokens["attention_mask"][..., None].to(states.dtype)
        return (states * mask).sum(1) / mask.sum(1).clamp_min(1)


def fine_tune(
    encoder: MeanEncoder,
    tokenize: Tokenize,
    texts: Sequence[str],
    classes: Tensor,
    *,
    n_epochs: int = 3,
    batch_size: int = 32,
    lr: float = 2e-5,
    group_size: int = 64,
) -> TreeSoftmax:
    """Train the encoder in place, and return its output layer."""
    device = next(encoder.parameters()).device
    layout = cluster(class_means(encoder, tokenize, texts, classes), group_size=group_size)
    head = TreeSoftmax(encoder.n_dimensions, layout, n_prototypes=4, device=device)
    FusedOptimizer(head, lr=0.02)  # updates the layer during the backward pass
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=lr)
    for _ in range(n_epochs):
        for rows in torch.randperm(len(texts)).split(batch_size):
            tokens = tokenize([texts[i] for i in rows.tolist()])
            x = encoder(**{name: one.to(device) for name, one in tokens.items()})
            head(x, classes[rows].to(device)).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    return head


@torch.no_grad()
def class_means(
    encoder: MeanEncoder, tokenize: Tokenize, texts: Sequence[str], classes: Tensor
) -> Tensor:
    """Return the sum of the embeddings of the texts of each class."""
    device = next(encoder.parameters()).device
    total = torch.zeros(int(classes.max()) + 1, encoder.n_dimensions, device=device)
    for rows in torch.arange(len(texts)).split(64):
        tokens = tokenize([texts[i] for i in rows.tolist()])
        x = encoder(**{name: one.to(device) for name, one in tokens.items()})
        total.index_add_(0, classes[rows].to(device), nn.functional.normalize(x.float(), dim=1))
    return total


def main() -> None:
    """Fine-tune an encoder to find the first tag of docstrings."""
    from transformers import AutoModel, AutoTokenizer

    name = sys.argv[1]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = AutoTokenizer.from_pretrained(name)
    encoder = MeanEncoder(AutoModel.from_pretrained(name)).to(device)
    docs = datasets.python_docs(packages=["numpy", "scipy"])
    number: dict[str, int] = {}
    classes = torch.tensor([number.setdefault(tags[0], len(number)) for tags in docs.tags])

    def tokenize(texts: Sequence[str]) -> dict[str, Tensor]:
        limits = {"truncation": True, "max_length": 128}
        return dict(tokenizer(list(texts), padding=True, return_tensors="pt", **limits))

    head = fine_tune(encoder, tokenize, docs.texts, classes)
    tokens = {k: v.to(device) for k, v in tokenize(docs.texts[:5]).items()}
    names = list(number)
    for text, found in zip(docs.texts, head.top_k(encoder(**tokens), 3).classes, strict=False):
        print([names[i] for i in found.tolist()], text[:60])


if __name__ == "__main__":
    main()
