"""The model card: what a model does, how good it is, what it costs, and how to use it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from labeltree.data.feature_pairs import shown_pairs
from labeltree.estimators import PLTClassifier
from labeltree.storage.hub_files import HubAddress
from labeltree.text import TextTagger
from labeltree.text.named_encoders import NamedEncoder
from labeltree.training.effort import written
from labeltree.units import format_bytes

_METRICS = ("P@1", "P@3", "P@5", "R@5", "nDCG@5", "ECE@5")
_LEGEND = """P@k: share of the k most probable labels that are right. R@k: share of the right labels
that are among them. nDCG@k: the same with more weight on the first places. ECE@k: mean difference
between probabilities and how often they are right."""
_N_SHOWN, _MAX_NAME = 8, 60  # labels that are named, and their characters


def model_card(
    model: PLTClassifier | TextTagger,
    repo: str,
    *,
    report: Mapping[str, Any] | None = None,
    license: str | None = None,
) -> str:
    """Return the model card of a fitted estimator, in Markdown.

    Parameters
    ----------
    model
        The fitted estimator.
    repo
        Repository and file on the hub: ``owner/name[/file]``.
    report
        Figures of an evaluation: the result of `TextTagger.evaluate`, or what ``labeltree train
        --json`` or ``labeltree evaluate --json`` prints. Without it, the card has no metrics and no
        lower bound.
    license
        Identifier of a license, such as "mit".

    Examples
    --------
    >>> from labeltree import TextTagger
    >>> tagger = TextTagger().fit(["green tea", "rye bread"], [["tea"], ["bread"]])
    >>> card = model_card(tagger, "me/tags", report={"P@1": 0.75, "n_rows": 20})
    >>> [line for line in card.splitlines() if "0.75" in line or "| labels" in line]
    ['| labels | 2 |', '| P@1 | 0.7500 |']
    """
    figures = dict(report or {})
    address = HubAddress.of_repo(repo)
    sections = [
        _front_matter(model, license),
        f"# {address.repo.partition('/')[2]}",
        _task(model),
        _use(model, str(address)),
        _table("Model", _facts(model, figures)),
    ]
    if metrics := _metrics(figures):
        sections += [_table(f"Evaluation{_evaluated(figures)}", metrics), _LEGEND]
    sections.append(_LIMITS)
    return "\n\n".join(sections) + "\n"


_LIMITS = """## Limitations

The model predicts only the labels that occurred in its training data, and its probabilities are
those of data like it. The file contains numbers and names, and no code: nothing in it is executed
when it is opened."""


def _classifier(model: PLTClassifier | TextTagger) -> PLTClassifier:
    return model.classifier_ if isinstance(model, TextTagger) else model


def _front_matter(model: PLTClassifier | TextTagger, license: str | None) -> str:
    tags = ["extreme-classification", "label-tree"]
    if _classifier(model).label_kind_ != "classes":
        tags.insert(0, "multi-label-classification")
    lines = ["---", "library_name: labeltree", "tags:", *(f"- {tag}" for tag in tags)]
    if isinstance(model, TextTagger):
        lines.append("pipeline_tag: text-classification")
    if license is not None:
        if not license.replace("-", "").replace(".", "").isalnum():
            raise ValueError(
                f"license must be an identifier such as mit or cc-by-4.0, but is {license!r:.40}"
            )
        lines.append(f"license: {license}")
    return "\n".join([*lines, "---"])


def _task(model: PLTClassifier | TextTagger) -> str:
    n_labels, word = f"{len(model.classes_):,}", "labels"
    given = f"a row of {model.n_features_in_:,} numeric features"
    if isinstance(model, TextTagger):
        word, given = "tags", "a text"
    if _classifier(model).label_kind_ == "classes":
        return (
            f"This model predicts one of {n_labels} classes for {given}, with the probability of "
            f"each class. {_some_labels(model, 'classes')}"
        )
    return (
        f"This model predicts {word} for {given}, out of {n_labels}, with the probability of each. "
        f"{_some_labels(model, word)}"
    )


def _some_labels(model: PLTClassifier | TextTagger, word: str) -> str:
    """Return a sentence with a few names of labels, from the first to the last."""
    names = model.classes_
    places = np.unique(np.linspace(0, len(names) - 1, _N_SHOWN).astype(np.int64))
    shown = ", ".join(f"`{_in_code(name)}`" for name in names[places].tolist())
    if len(places) == len(names):
        return f"The {word} are {shown}."
    return f"Examples of {word}: {shown}."


def _in_code(name: Any) -> str:
    """Return a name on one line, without what ends code in Markdown."""
    line = " ".join(str(name).replace("`", "'").split())
    return line if len(line) <= _MAX_NAME else f"{line[: _MAX_NAME - 1]}…"


def _use(model: PLTClassifier | TextTagger, address: str) -> str:
    lines = ["import labeltree", "", f'model = labeltree.load("{address}")']
    command: str | None = f"labeltree predict {address} texts.txt"
    if not isinstance(model, TextTagger):
        lines.append("model.top_k(X, k=5)  # labels and probabilities of each row of X")
        command = None
    elif model.features_.embeddings.are_given:
        lines.append("model.tag(texts, embeddings=vectors)")
        command = None
    elif model.features_.n_embeddings:
        encoder = model.encoder_
        is_named = isinstance(encoder, NamedEncoder)
        shown = repr(encoder.name) if is_named else "encoder"
        lines += [f"model.set_encoder({shown})", 'model.tag(["a text"])']
        command = f"{command} --encoder {encoder.name}" if is_named else None
    else:
        lines.append('model.tag(["a text"])  # [[(tag, probability), ...]]')
    shell = ['pip install "labeltree[hub]"', *([] if command is None else [command])]
    blocks = (("shell", shell), ("python", lines))
    return "## Use\n\n" + "\n\n".join(
        "\n".join([f"```{language}", *code, "```"]) for language, code in blocks
    )


def _facts(model: PLTClassifier | TextTagger, figures: Mapping[str, Any]) -> dict[str, str]:
    classifier = _classifier(model)
    counts, n_trees = classifier._fitted.counts, len(classifier.trees_)
    per_row = counts.training_cost / max(counts.n_rows, 1) / n_trees
    cost = f"{per_row:.1f} nodes per row{' and tree' * (n_trees > 1)}"
    bound = _number(figures, "lower_bound_per_row")
    if bound:
        cost += f", {per_row / bound:.2f} times the lower bound of any tree ({bound:.1f})"
    facts = {
        "labels": f"{len(model.classes_):,}",
        "features": f"{model.n_features_in_:,}{shown_pairs(len(classifier.interactions_))}",
        "training rows": f"{counts.n_rows:,}",
        "trees": f"{n_trees}",
        "training cost": cost,
        "weights": format_bytes(classifier.model_.native("model_card").n_bytes),
    }
    if classifier.settings_:
        facts["settings"] = written(classifier.settings_)
    facts["made with"] = f"labeltree {version('labeltree')}"
    return facts


def _metrics(figures: Mapping[str, Any]) -> dict[str, str]:
    found = figures.get("metrics", figures)
    if not isinstance(found, Mapping):
        return {}
    values = {name: _number(found, name) for name in _METRICS}
    return {name: f"{value:.4f}" for name, value in values.items() if value is not None}


def _evaluated(figures: Mapping[str, Any]) -> str:
    """Return what is known of the rows of an evaluation."""
    if held_out := int(_number(figures, "n_evaluation_rows") or 0):
        return f" on {held_out:,} rows that were not used in training"
    n_rows = 0 if "metrics" in figures else int(_number(figures, "n_rows") or 0)
    return f" on {n_rows:,} rows" if n_rows else ""


def _number(figures: Mapping[str, Any], name: str) -> float | None:
    value = figures.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name} of the report must be a number, but is {value!r:.40}")
    return float(value)


def _table(title: str, rows: Mapping[str, str]) -> str:
    lines = [f"## {title}", "", "| | |", "| --- | --- |"]
    return "\n".join([*lines, *(f"| {name} | {text} |" for name, text in rows.items())])
