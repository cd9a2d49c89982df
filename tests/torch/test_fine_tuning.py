"""The example of fine-tuning, with a small encoder of random weights."""

import runpy
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")
transformers = pytest.importorskip("transformers", reason="the example needs transformers")

EXAMPLE = Path(__file__).parents[2] / "examples" / "fine_tune.py"
WORDS = ("pad", "tea", "bread", "milk", "rye", "green")


def tokenize(texts):
    """Return the numbers of the words of each text, padded with 0."""
    rows = [[WORDS.index(word) for word in text.split()] for text in texts]
    width = max(map(len, rows))
    ids = torch.tensor([row + [0] * (width - len(row)) for row in rows])
    return {"input_ids": ids, "attention_mask": (ids != 0).long()}


def test_an_encoder_learns_the_classes_of_texts() -> None:
    torch.manual_seed(0)
    example = runpy.run_path(str(EXAMPLE))
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32,
    )  # fmt: skip
    encoder = example["MeanEncoder"](transformers.BertModel(config))
    texts = ["green tea", "rye bread", "milk", "tea milk"] * 8
    classes = torch.arange(4).repeat(8)
    settings = {"n_epochs": 20, "batch_size": 8, "lr": 5e-3, "group_size": 2}
    head = example["fine_tune"](encoder, tokenize, texts, classes, **settings)
    found = head.predict(encoder.eval()(**tokenize(texts[:4])))
    assert found.tolist() == [0, 1, 2, 3]
