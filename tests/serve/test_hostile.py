"""A sample of the hostile requests that `make fuzz-serve` sends."""

from tests.serve.hostile import run


def test_hostile_requests_neither_break_nor_hang_the_server(tmp_path) -> None:
    found, wrong = run(tmp_path, seed=1, count=300)
    assert wrong == []
    assert found["200"] > 0
    assert found["422"] > 0
