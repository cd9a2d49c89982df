"""Groups of similar classes."""

import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from labeltree.torch import cluster


def drawn(n: int, n_centers: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    center = torch.arange(n) % n_centers
    noise = torch.randn(n, 16, generator=generator) * 0.02
    return torch.eye(16)[center] + noise, center


def test_groups_hold_classes_around_one_center() -> None:
    embeddings, center = drawn(64, 8)
    layout = cluster(embeddings, group_size=8)
    for group in center[torch.from_numpy(layout.order)].split(8):
        assert len(set(group.tolist())) == 1


def test_head_classes_come_first() -> None:
    layout = cluster(drawn(64, 8)[0], group_size=8, head=torch.tensor([9, 3]))
    assert layout.n_head == 2
    assert layout.order[:2].tolist() == [9, 3]


def test_middle_nodes_hold_equal_numbers_of_groups() -> None:
    layout = cluster(drawn(64, 8)[0], group_size=4, middle_size=4)
    assert layout.middle_sizes.tolist() == [4, 4, 4, 4]


def test_the_seed_determines_the_groups() -> None:
    embeddings, _ = drawn(40, 8)
    one, other = (cluster(embeddings, group_size=8, random_state=1).order for _ in range(2))
    assert one.tolist() == other.tolist()
