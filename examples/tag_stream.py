"""Learn tags from a stream of questions, in which new tags appear every day.

python examples/tag_stream.py
"""

from __future__ import annotations

import numpy as np

import labeltree as lt

N_DAYS, PER_DAY = 10, 200


def day(number: int) -> tuple[list[str], list[list[str]]]:
    """Return the questions of a day: five topics at first, and two more every day."""
    rng = np.random.default_rng(number)
    topics = rng.integers(0, 5 + 2 * number, PER_DAY)
    texts = [
        " ".join(f"word{t}x{rng.integers(6)}" for _ in range(4)) + f" how{rng.integers(9)}"
        for t in topics
    ]
    return texts, [[f"topic{t}"] for t in topics]


def main() -> None:
    """Predict the tags of each day before learning them."""
    tagger = lt.TextTagger(n_features=2**16)  # hashed, because new words come, too
    tagger.partial_fit(*day(0))
    for number in range(1, N_DAYS):
        texts, tags = day(number)
        known = set(tagger.classes_.tolist())
        found = [tagged[0][0] for tagged in tagger.tag(texts, k=1)]
        right = np.mean([tag in own for tag, own in zip(found, tags, strict=True)])
        possible = np.mean([own[0] in known for own in tags])
        print(
            f"day {number}: {len(known)} known tags, right {right:.2f} of {possible:.2f} possible"
        )
        tagger.partial_fit(texts, tags)


if __name__ == "__main__":
    main()
