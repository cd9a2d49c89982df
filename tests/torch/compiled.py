"""Compilation of the kernels for a GPU that need not be present."""

from __future__ import annotations

from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

HOPPER = GPUTarget("cuda", 90, 32)
FLOATS = (
    "loss pair_loss STATE factor rate GB value best_value found head_value cut values to_values"
)
LONG = "target chosen starts offsets numbers to_numbers"
POINTERS = {
    **dict.fromkeys(["X", "W", "B", "DS", "DX", "DXP", "Z", "DW", "DB", "G"], "*bf16"),
    **dict.fromkeys(["LOW", "BLOW", "key", "sorted_key"], "*i16"),
    **dict.fromkeys(FLOATS.split(" "), "*fp32"),
    **dict.fromkeys(LONG.split(" "), "*i64"),
}
NUMBERS = {"scale": "fp32", "eps": "fp32"}


def compile_kernel(kernel: Any, *, warps: int = 4, stages: int = 3, **constants: Any) -> int:
    """Return the bytes of shared memory of a kernel."""
    signature = {
        name: "constexpr" if name in constants else _kind(name) for name in kernel.arg_names
    }
    place = {name: i for i, name in enumerate(kernel.arg_names)}
    source = ASTSource(
        kernel,
        signature,
        constexprs={(place[name],): value for name, value in constants.items()},
        attrs={
            (i,): [["tt.divisibility", 16]]
            for name, i in place.items()
            if signature[name].startswith("*")
        },
    )
    made = triton.compile(source, target=HOPPER, options={"num_warps": warps, "num_stages": stages})
    assert made.asm["cubin"]
    return int(made.metadata.shared)


def _kind(name: str) -> str:
    if name.startswith("n_") or name in ("stride", "k"):
        return "i32"
    return NUMBERS.get(name) or POINTERS.get(name, "*i32")


def main() -> None:
    """Compile every kernel for 512 features in bfloat16, and print its shared memory."""
    from labeltree.torch.kernels import gradients, groups, lists, plan, root, search

    tile = {"D": 512, "TILE": 16, "BLOCK": 128, "N_PROGRAMS": 528, "PRECISION": "tf32"}
    level = {**tile, "WIDTH": 64, "BIAS": False, "B": None, "BACKWARD": True}
    update = {"SPLIT": True, "METHOD": 2, "B": None, "BLOW": None, "BIAS": False}
    gradient = {
        **tile,
        "WIDTH": 64,
        "EARLY": False,
        "DB": None,
        **update,
    }
    chosen = {"K": 5, "SLOTS": 8}
    leaf = {"WIDTH": 64, "BIAS": False, "B": None}
    top = {"PROTOTYPES": 4, "GROUPS": 1024, "HEAD": 256, "SOFTMAX": True, "BEAM": 8}
    for kernel, constants in (
        (plan.label_keys, {"BLOCK": 256}),
        (plan.rank_rows, {"LIMIT": 16384, "BLOCK": 16, "CHUNK": 256}),
        (plan.pair_keys, {"MIDDLE": False, "LANES": 32}),
        (plan.pair_keys, {"MIDDLE": True, "LANES": 32}),
        (plan.plan_groups, {"TILE": 16, "BLOCK": 128, "STEPS": 15}),
        (root.root_softmax, {"PROTOTYPES": 4, "BLOCK": 4096, "BACKWARD": True}),
        (root.root_bce, {"BLOCK": 1024, "BACKWARD": True, "LABELS": 8}),
        (groups.group_softmax, level),
        (groups.group_bce, {**level, "LABELS": 8}),
        (groups.add_pairs, {"D": 512, "BLOCK": 512, "BACKWARD": True}),
        (gradients.group_gradient, {**gradient, "PART": 16, "BLOCK": 512, "DW": None}),
        (gradients.row_update, {"D": 512, "PART": 4, "BLOCK": 512, "GB": None, **update}),
        (gradients.multiply, {"BLOCK": 4096}),
        (search.best_groups, {"N_HEAD_BEST": 5, "SLOTS": 8, **top}),
        (search.list_more, {**chosen, **top}),
        (search.rank_pairs, {"ALL": False, "BLOCK": 256}),
        (search.plan_pairs, {"TILE": 64, "GROUPS": 1024}),
        (search.group_best, {**tile, **chosen, **leaf, "SOFTMAX": True, "FILTER": True, "LAST": 4}),
        (search.merge_best, {"BEAM": 8, "BLOCK": 128, **chosen}),
        (lists.copy_lists, {"HAS_VALUES": True, "LANES": 32}),
    ):
        print(kernel.__name__, compile_kernel(kernel, **constants), flush=True)


if __name__ == "__main__":
    main()
