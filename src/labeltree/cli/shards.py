"""`labeltree train` with several files, which workers read one at a time."""

from __future__ import annotations

import argparse
from typing import Any

from labeltree import TextTagger
from labeltree.cli.cluster import given_executor
from labeltree.cli.inputs import Texts, UsageError
from labeltree.cli.options import given_options, shown_warnings
from labeltree.data import TextShards
from labeltree.data.fields import LABEL_FIELDS
from labeltree.data.text_shards import is_address, is_pattern

# Options that need all texts at once, or describe a format that has no suffix, by their defaults.
_ONE_FILE = {
    "x": None,
    "y": None,
    "format": None,
    "separator": ",",
    "delimiter": None,
    "header": False,
    "no_header": False,
    "tags_first": False,
    "descriptions": None,
    "hierarchy": None,
}


def take_shards(arguments: argparse.Namespace) -> TextShards | None:
    """Return the files, if there are several; else make the one file an argument as usual."""
    files: list[str] = arguments.data
    is_one = len(files) < 2 and not any(is_pattern(file) or is_address(file) for file in files)
    if is_one:
        arguments.data = files[0] if files else None
        return None
    for name, default in _ONE_FILE.items():
        if getattr(arguments, name) != default:
            raise UsageError(
                f"--{name.replace('_', '-')} is for one file, but there are several; drop it, or "
                "join the files"
            )
    try:
        label_field = arguments.label_field or LABEL_FIELDS
        return TextShards(files, text_field=arguments.text_field, label_field=label_field)
    except ImportError as error:
        raise UsageError(str(error)) from None


def train_shards(arguments: argparse.Namespace, shards: TextShards) -> TextTagger:
    """Return a tagger fitted to all files; `fit` itself holds rows back to calibrate."""
    if arguments.holdout is not None:
        raise UsageError("--holdout is for one file; keep a file back, and evaluate with it")
    quiet = arguments.quiet
    options = {**given_options(arguments, Texts([], [])), "executor": given_executor(arguments)}
    with shown_warnings(quiet=quiet):
        return TextTagger(verbose=int(not quiet), **options).fit(shards)


def shard_figures(tagger: TextTagger) -> dict[str, Any]:
    """Return the report on a tagger; what needs the tags of all texts is left out."""
    classifier = tagger.classifier_
    n_rows, n_trees = classifier.n_rows_, len(classifier.trees_)
    return {
        "n_rows": n_rows,
        "n_evaluation_rows": 0,
        "n_labels": len(classifier.classes_),
        "n_features": int(classifier.n_features_in_),
        "n_interactions": len(classifier.interactions_),
        "n_trees": n_trees,
        "settings": classifier.settings_,
        "cost_per_row": classifier.training_cost_ / n_rows / n_trees,
    }
