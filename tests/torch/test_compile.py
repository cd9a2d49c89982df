"""torch.compile, and compilation of the kernels for a GPU that is not there."""

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from .heads import THREE, TWO, bce, classes, rows, softmax

LABELS = torch.tensor([[3, 7, 40], [41, -1, 42], [-1, -1, -1], [59, 59, 0]] * 3)


# Dynamo itself creates such an instance.
@pytest.mark.filterwarnings("ignore:.*autograd.function.Function.*:DeprecationWarning")
@pytest.mark.parametrize(("make", "target"), [(softmax, classes()), (bce, LABELS)])
@pytest.mark.parametrize("layout", [TWO, THREE])
def test_a_compiled_step_has_no_graph_break_and_the_same_gradients(
    make, target, layout, kernels
) -> None:
    head, x = make(layout), rows().requires_grad_()

    def loss(x):
        return head(torch.tanh(x), target).loss

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    inputs = [x, *head.parameters()]
    found, wanted = (torch.autograd.grad(one(x), inputs) for one in (compiled, loss))
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other)


def test_the_kernels_compile_for_hopper() -> None:
    pytest.importorskip("triton", reason="the kernels need triton")
    # Another process, because this one interprets kernels.
    done = subprocess.run(
        [sys.executable, "-m", "tests.torch.compiled"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
