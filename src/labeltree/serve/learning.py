"""Learning of feedback by a process of its own: on a copy of the model, published at once."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labeltree.serve.feedback_records import read_records
from labeltree.serve.logs import log
from labeltree.serve.settings import Settings
from labeltree.storage import load
from labeltree.text import TextTagger


def learn_feedback(files: Mapping[str, str], settings: Settings) -> None:
    """Learn new feedback at intervals, until the process is ended."""
    while True:
        time.sleep(settings.learn_seconds)
        try:
            learn_once(files, settings.feedback)
        except (OSError, ValueError, MemoryError) as error:
            log("learning_failed", error=str(error)[:300])


def learn_once(files: Mapping[str, str], feedback: str) -> int:
    """Learn the feedback since the last time; return the number of texts.

    The position in the file is written after the models. A process that is killed between the two
    learns the same feedback again; none is left out.
    """
    done = Path(feedback + ".learned")
    start = int(done.read_text()) if done.exists() else 0
    records, end = read_records(feedback, start)
    by_model: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        if record.get("model") in files:
            by_model.setdefault(record["model"], []).append(record)
    for name, records in by_model.items():
        _learn(files[name], records)
        log("learned", model=name, n_texts=len(records))
    if end != start:
        _write_position(done, end)
    return sum(map(len, by_model.values()))


def _learn(path: str, records: list[dict[str, Any]]) -> None:
    tagger = load(path)
    if not isinstance(tagger, TextTagger):
        raise ValueError(f"{path}: feedback can be learned by models of texts only")
    texts = [record["text"] for record in records]
    is_one = tagger.label_kind_ == "classes"
    tags = [record["tags"][0] if is_one else record["tags"] for record in records]
    tagger.partial_fit(texts, tags)
    tagger.save(path)


def _write_position(path: Path, position: int) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(str(position))
    part.replace(path)
