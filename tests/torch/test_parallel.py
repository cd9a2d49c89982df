"""Training in two processes with replicated layers."""

import socket

import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from .heads import classes, rows, softmax


def work(rank: int, port: int, queue) -> None:
    torch.set_num_threads(1)
    address = f"tcp://127.0.0.1:{port}"
    torch.distributed.init_process_group("gloo", init_method=address, rank=rank, world_size=2)
    model = torch.nn.parallel.DistributedDataParallel(softmax())
    part = slice(6 * rank, 6 * rank + 6)
    model(rows()[part], classes()[part]).loss.backward()
    if rank == 0:
        queue.put(model.module.leaf.grad.tolist())
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch has no distributed package")
def test_two_processes_have_the_gradient_of_one() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = torch.multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    processes = [context.Process(target=work, args=(rank, port, queue)) for rank in range(2)]
    for process in processes:
        process.start()
    found = torch.tensor(queue.get())
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    head = softmax()
    head(rows(), classes()).loss.backward()
    torch.testing.assert_close(found, head.leaf.grad)
