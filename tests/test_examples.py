"""The scripts in examples/ run, and what they print holds."""

import re
import runpy
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def printed(name: str, capsys) -> list[str]:
    """Run an example and return its lines."""
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out.splitlines()


def numbers(line: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+\.\d+", line)]


def test_products_are_sorted_into_categories_and_departments(capsys) -> None:
    accuracy, *products = printed("products.py", capsys)
    assert numbers(accuracy)[0] > 0.9
    assert all(re.search("kitchen|garden|office", line) for line in products)


def test_a_stream_learns_nearly_all_tags_that_are_known(capsys) -> None:
    *_, last = printed("tag_stream.py", capsys)
    right, possible = numbers(last)
    assert 0.8 < right <= possible


def test_the_next_item_is_predicted_better_than_by_popularity(capsys) -> None:
    popular, model = (numbers(line)[-1] for line in printed("next_item.py", capsys))
    assert model > 5 * popular


def test_probabilities_of_subjects_tell_how_many_are_right(capsys) -> None:
    figures, suggestions, share = printed("library_records.py", capsys)
    assert numbers(figures)[0] > 0.85
    n_suggested, n_sure = map(int, re.findall(r"\d+", suggestions))
    assert 0 < n_sure < n_suggested
    assert 0.75 < numbers(share)[0] < 1


def test_embeddings_beside_words_do_not_hurt(capsys) -> None:
    words, both = (numbers(line)[0] for line in printed("embeddings.py", capsys))
    assert both > words - 0.02
