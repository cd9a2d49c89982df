"""Code that runs in the environment with Annif: one phase of one system per process.

    worker.py train|predict|tagger SYSTEM FOLDER OUTPUT

FOLDER has projects.cfg, train.tsv, test.tsv and Annif's data. This file imports nothing from the
project except the installed package.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import Any

METRICS = ["Precision@1", "Precision@3", "Precision@5", "F1@5", "NDCG@5", "NDCG@10"]
LIMIT = 10  # number of suggestions that `annif eval` uses
N_ALONE = 300  # texts tagged one at a time
BATCH = 32  # texts per batch in Annif
_TRAINING_FILES = ("omikuji-train.txt", "labeltree-train.lt")


def train(project: Any, folder: Path) -> dict[str, Any]:
    """Train from texts, then again from the cached features; on one thread."""
    corpus = project_corpus(project, folder / "train.tsv")
    start = time.process_time()
    project.train(corpus, jobs=1)
    from_texts = time.process_time() - start
    start = time.process_time()
    project.train("cached", jobs=1)
    return {
        "train_cpu_s": from_texts,
        "train_cached_cpu_s": time.process_time() - start,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        "model_mb": model_bytes(Path(project.datadir)) / 1e6,
    }


def predict(project: Any, folder: Path) -> dict[str, Any]:
    """Load the model, tag texts in batches and one at a time, and evaluate the suggestions."""
    documents = list(project_corpus(project, folder / "test.tsv").documents)
    start = time.perf_counter()
    project.initialize()
    opening = time.perf_counter() - start
    words(project, documents)  # fills the caches of the analyzer
    start = time.process_time()
    words(project, documents)
    in_words = time.process_time() - start
    start = time.process_time()
    batches = [project.suggest(documents[i : i + BATCH]) for i in range(0, len(documents), BATCH)]
    in_all = time.process_time() - start
    return {
        "open_ms": 1e3 * opening,
        "words_cpu_ms": 1e3 * in_words / len(documents),
        "suggest_cpu_ms": 1e3 * in_all / len(documents),
        "suggest_one_ms": 1e3 * statistics.median(alone(project, documents)),
        **evaluate(project.subjects, batches, documents),
    }


def tagger(project: Any, folder: Path) -> dict[str, Any]:
    """Train TextTagger with its own features, as `labeltree train` does."""
    from annif.suggestion import SubjectSuggestion, SuggestionBatch

    import labeltree as lt

    training = list(project_corpus(project, folder / "train.tsv").documents)
    start = time.process_time()
    made = lt.TextTagger(n_jobs=1).fit(
        [document.text for document in training],
        [list(document.subject_set) for document in training],
    )
    made.save(folder / "tagger.lt")
    fitting = time.process_time() - start
    documents = list(project_corpus(project, folder / "test.tsv").documents)
    texts = [document.text for document in documents]
    start = time.process_time()
    made.features_.transform(texts)
    in_words = time.process_time() - start
    start = time.process_time()
    found = made.tag(texts, k=100)
    in_all = time.process_time() - start
    rows = [[SubjectSuggestion(*pair) for pair in row] for row in found]
    batch = SuggestionBatch.from_sequence(rows, project.subjects)
    return {
        "train_cpu_s": fitting,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        "model_mb": (folder / "tagger.lt").stat().st_size / 1e6,
        "words_cpu_ms": 1e3 * in_words / len(texts),
        "suggest_cpu_ms": 1e3 * in_all / len(texts),
        **evaluate(project.subjects, [batch], documents),
    }


def words(project: Any, documents: list[Any]) -> None:
    """Compute the features of documents without predicting."""
    backend = project.backend
    texts = [document.text for document in documents]
    if backend.name == "labeltree":
        backend._model.features_.transform(texts)
    else:
        backend.vectorizer.transform(texts)


def alone(project: Any, documents: list[Any]) -> list[float]:
    """Return the seconds of each text, tagged one at a time."""
    seconds = []
    for document in documents[:N_ALONE]:
        start = time.perf_counter()
        project.suggest([document])
        seconds.append(time.perf_counter() - start)
    return seconds


def evaluate(subjects: Any, batches: list[Any], documents: list[Any]) -> dict[str, float]:
    """Return the metrics of Annif."""
    from annif.eval import EvaluationBatch

    evaluation = EvaluationBatch(subjects)
    first = 0
    for batch in batches:
        gold = [document.subject_set for document in documents[first : first + len(batch)]]
        evaluation.evaluate_many(batch.filter(LIMIT), gold)
        first += len(batch)
    return {name: float(value) for name, value in evaluation.results(METRICS).items()}


def project_corpus(project: Any, path: Path) -> Any:
    """Return a file as an Annif corpus."""
    from annif.corpus import DocumentFileTSV

    return DocumentFileTSV(str(path), project.subjects)


def model_bytes(folder: Path) -> int:
    """Return the size of all files that suggestions need."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in files if path.name not in _TRAINING_FILES)


def main(phase: str, system: str, folder: str, output: str) -> None:
    """Run one phase and write its figures."""
    import annif.registry

    from labeltree.annif import register

    register()
    logging.getLogger("annif").setLevel(logging.ERROR)
    os.chdir(folder)
    project = annif.registry.AnnifRegistry("projects.cfg", "data", False).get_project(system)
    phases = {"train": train, "predict": predict, "tagger": tagger}
    Path(output).write_text(json.dumps(phases[phase](project, Path(folder))))


if __name__ == "__main__":
    main(*sys.argv[1:])
