"""Training in two processes, with replicated and with divided layers."""

from __future__ import annotations

import os
import socket
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from labeltree.torch import FusedOptimizer, Layout, ShardedTree, TreeBCE, TreeSoftmax
from labeltree.torch.sharded import split

from .heads import N_FEATURES, THREE, TWO, bce, classes, rows, softmax

LABELS = torch.tensor([[3, 7, 40], [41, -1, 42], [-1, -1, -1], [59, 59, 0]] * 3)
UNEVEN = Layout(np.arange(20)[::-1].copy(), 3, np.array([2, 9, 3, 3]))
CASES: dict[str, Any] = {
    "softmax": (softmax, {"layout": TWO}, classes()),
    "softmax with prototypes": (softmax, {"n_prototypes": 3, "bias": True}, classes()),
    "softmax with three levels": (softmax, {"layout": THREE, "n_prototypes": 2}, classes()),
    "one part without rows": (softmax, {}, torch.full((12,), 3)),
    "labels": (bce, {}, LABELS),
    "labels with three levels": (bce, {"layout": THREE}, LABELS),
}

pytestmark = pytest.mark.skipif(
    not torch.distributed.is_available(), reason="torch has no distributed package"
)


def make(full):
    """Return the function that makes the layer of a part."""
    settings = {"bias": full.root_bias is not None}
    if isinstance(full, TreeBCE):
        return lambda layout: TreeBCE(N_FEATURES, layout, **settings)
    k = full.n_prototypes
    return lambda layout: TreeSoftmax(N_FEATURES, layout, n_prototypes=k, **settings)


def step(layer, x, target) -> dict[str, Any]:
    x = x.clone().requires_grad_()
    output, loss = layer(x, target)
    (loss * 2).backward()
    return {"output": output, "loss": loss.detach(), "x": x.grad}


def divided(rank: int, name: str) -> dict[str, Any]:
    """Return what a divided layer computes for the rows of one process."""
    full_of, settings, target = CASES[name]
    full = full_of(**settings)
    layer = ShardedTree(make(full), full.layout)
    layer.take(full)
    part = slice(6 * rank, 6 * rank + 6)
    found = step(layer, rows()[part], target[part])
    best = layer.top_k(rows()[part], 5)
    found |= {"best": best.log_prob, "classes": best.classes}
    found |= {f"whole {k}": v.detach() for k, v in layer.whole().named_parameters()}
    for parameter in layer.shard.parameters():
        given = parameter.grad
        parameter.data = torch.zeros_like(parameter) if given is None else given
    found |= {f"gradient {k}": v.detach() for k, v in layer.whole().named_parameters()}
    return found


def replicated(rank: int) -> Any:
    model = torch.nn.parallel.DistributedDataParallel(softmax())
    part = slice(6 * rank, 6 * rank + 6)
    model(rows()[part], classes()[part]).loss.backward()
    return model.module.leaf.grad


def refused() -> str:
    layer = ShardedTree(make(softmax()), TWO)
    FusedOptimizer(layer.shard)
    try:
        layer(rows(6), classes(6))
    except ValueError as error:
        return str(error)
    return ""


def work(rank: int, port: int, queue) -> None:
    torch.set_num_threads(1)
    address = f"tcp://127.0.0.1:{port}"
    torch.distributed.init_process_group("gloo", init_method=address, rank=rank, world_size=2)
    found: dict[str, Any] = {name: divided(rank, name) for name in CASES}
    if os.environ.get("TRITON_INTERPRET") != "1":
        found |= {"replicated": replicated(rank), "refused": refused()}
    # Lists, because tensors need their process to live.
    queue.put((rank, {k: _plain(v) for k, v in found.items()}))
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value.tolist() if isinstance(value, torch.Tensor) else value


def run_both() -> list[dict[str, Any]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = torch.multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    processes = [context.Process(target=work, args=(rank, port, queue)) for rank in range(2)]
    for process in processes:
        process.start()
    found = dict(queue.get() for _ in processes)
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    return [found[0], found[1]]


@pytest.fixture(scope="module")
def processes() -> list[dict[str, Any]]:
    """Return what two processes found, on the plain path."""
    return run_both()


@pytest.fixture(scope="module")
def kernel_processes() -> list[dict[str, Any]]:
    """Return what two processes found, with kernels in Triton's interpreter."""
    pytest.importorskip("triton", reason="the kernels need triton")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_INTERPRET", "1")
        return run_both()


def both(found: list[dict[str, Any]], case: str, name: str) -> Any:
    return torch.cat([torch.tensor(one[case][name]) for one in found])


def wanted(name: str) -> tuple[Any, dict[str, Any]]:
    full_of, settings, target = CASES[name]
    full = full_of(**settings)
    return full, step(full, rows(), target)


def check_step(found: list[dict[str, Any]], case: str) -> None:
    full, one = wanted(case)
    torch.testing.assert_close(both(found, case, "output"), one["output"])
    assert sum(p[case]["loss"] for p in found) / 2 == pytest.approx(float(one["loss"]), rel=1e-5)
    # The encoder of each process gets the gradient of the mean over its own rows.
    torch.testing.assert_close(both(found, case, "x") / 2, one["x"])
    for name, parameter in full.named_parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        n = full.n_columns if name.startswith("root") else len(gradient)
        own = torch.tensor(found[1][case][f"gradient {name}"])
        torch.testing.assert_close(own[:n], gradient[:n])


def test_two_processes_have_the_gradient_of_one(processes) -> None:
    head = softmax()
    head(rows(), classes()).loss.backward()
    torch.testing.assert_close(torch.tensor(processes[0]["replicated"]), head.leaf.grad)


@pytest.mark.parametrize("case", CASES)
def test_a_divided_layer_has_the_loss_and_gradients_of_one_process(case, processes) -> None:
    check_step(processes, case)


@pytest.mark.parametrize("case", CASES)
def test_divided_kernels_have_the_loss_and_gradients_of_one_process(case, kernel_processes) -> None:
    check_step(kernel_processes, case)


@pytest.mark.parametrize("case", CASES)
def test_a_divided_layer_finds_the_classes_of_one_process(case, processes) -> None:
    best = wanted(case)[0].top_k(rows(), 5)
    assert both(processes, case, "classes").tolist() == best.classes.tolist()
    torch.testing.assert_close(both(processes, case, "best"), best.log_prob)


@pytest.mark.parametrize("case", CASES)
def test_a_divided_layer_is_put_together_again(case, processes) -> None:
    full = wanted(case)[0]
    for name, parameter in full.named_parameters():
        n = full.n_columns if name.startswith("root") else len(parameter)
        found = torch.tensor(processes[1][case][f"whole {name}"])
        assert torch.equal(found[:n], parameter[:n])


def test_a_fused_optimizer_of_a_divided_softmax_is_refused(processes) -> None:
    assert processes[0]["refused"].startswith("a sharded TreeSoftmax must have an ordinary")


def test_parts_have_about_the_same_numbers_of_classes() -> None:
    parts = split(Layout.even(1000, group_size=8, n_head=3), 3)
    assert [len(part.labels) for part in parts] == [337, 337, 326]


def test_every_class_is_in_one_part() -> None:
    parts = split(UNEVEN, 4)
    assert sorted(np.concatenate([part.labels for part in parts]).tolist()) == list(range(20))
    assert [part.layout.n_groups for part in parts] == [1, 1, 1, 1]


def test_more_processes_than_groups_are_refused() -> None:
    with pytest.raises(ValueError, match=r"one group for each of 5 processes, but has 4"):
        split(UNEVEN, 5)
