"""An endless stream of texts and tags that drift: words and tags come and go."""

from __future__ import annotations

import random

N_TAGS = 60  # at a time
ROWS_PER_TAG = 2000  # after this number of rows, the oldest tag goes and a new one comes
_WORDS_PER_TAG = 30


def row(i: int) -> tuple[str, list[str]]:
    """Return text and tags of row i, the same in each run."""
    rng = random.Random(i)
    first = i // ROWS_PER_TAG
    tags = sorted({first + min(rng.randrange(N_TAGS), rng.randrange(N_TAGS)) for _ in range(2)})
    words = [f"w{tag}x{rng.randrange(_WORDS_PER_TAG)}" for tag in tags for _ in range(6)]
    words += [f"common{rng.randrange(500)}" for _ in range(10)]
    words.append(f"once{i}")
    return " ".join(words), [f"tag {tag}" for tag in tags]


def retired(i: int) -> str | None:
    """Return the tag that no row from i on has, if it has just gone."""
    gone, rest = divmod(i, ROWS_PER_TAG)
    return f"tag {gone - 1}" if rest == 0 and gone > 0 else None
