"""One process: load the model if there is one, go on with the stream, save at intervals."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

import labeltree as lt
from tests.soak.stream import retired, row

CHUNK = 20  # rows between two lines of output
SAVE_ROWS = 1000
_PARAMS = {"max_weights": 200_000, "keep_rows": 500, "max_degree": 15}


def live(model: Path, rate: float | None) -> None:
    """Predict, learn and save until killed; each line of output is a JSON object.

    "hits" are the numbers of correct tags among the first 1 and 3; "saving" comes before a save and
    "saved" after it, with the number of rows learned.
    """
    tagger = opened(model)
    i = _n_rows(tagger)
    began, first = time.monotonic(), i
    while True:
        _forget(tagger, i)
        rows = [row(j) for j in range(i, i + CHUNK)]
        found = tagger.predict_then_fit([text for text, _ in rows], [tags for _, tags in rows], 3)
        _say(first=i, hits=_hits(rows, found), digest=digest(found))
        i += CHUNK
        if i % SAVE_ROWS == 0:
            _say(saving=i)
            tagger.save(model)
            _say(saved=i)
        if rate is not None:
            time.sleep(max(0.0, began + (i - first) / rate - time.monotonic()))


def opened(model: Path) -> Any:
    """Return the tagger of a file, or a new one."""
    if model.exists():
        return lt.load(model)
    return lt.TextTagger(n_features=2**14, n_jobs=1, online_params=_PARAMS)


def _n_rows(tagger: Any) -> int:
    return int(tagger.classifier_.n_rows_) if tagger.__sklearn_is_fitted__() else 0


def _forget(tagger: Any, i: int) -> None:
    tag = retired(i)
    if tag is not None and tag in tagger.classes_.tolist():
        tagger.remove_labels([tag])


def _hits(rows: list[Any], found: list[Any]) -> list[int]:
    ranked = [[tag for tag, _ in tags] for tags in found]
    pairs = list(zip(ranked, (set(tags) for _, tags in rows), strict=True))
    return [sum(len(true & set(tags[:k])) for tags, true in pairs) for k in (1, 3)]


def digest(found: list[Any]) -> str:
    """Return a hash of all predictions, so that two runs can be compared bit for bit."""
    plain = [[(str(tag), float(probability)) for tag, probability in tags] for tags in found]
    return hashlib.blake2b(repr(plain).encode(), digest_size=8).hexdigest()


def _say(**fields: Any) -> None:
    print(json.dumps(fields), flush=True)
