"""Numbers with units that pages may have in running text, with the reason of each phrase."""

from __future__ import annotations

#: Phrases by reason. Code in backticks is left out of the running text.
_BY_REASON: dict[str, tuple[str, ...]] = {
    "a setting of the measurement": (
        "needs more than 60 minutes is stopped",
        "are estimated within 30 %",
        "all texts of 5 % of the tags",
        "eurlex-4k, 16 times each",
    ),
    "a limit below which differences are called noise": (
        "Differences below 0.1 points",
        "Differences below 10 % are left out",
        "Differences of time below 10 %",
    ),
    "a default, a limit or a format": (
        "holds back 5 % of the rows",
        "takes at most 10 times the work",
        "after about 20 seconds by default",
        "100 times the size of the file",
        "100 times its size",
        "100 times its bytes",
        "100 times the number of entries",
        "up to 40 MB of pages",
        "65,534 times the largest weight",
        "size of a request | 1 MB",
        "for the body | 10 s",
        "10 % of the (row, node) pairs",
        "by more than 10 times",
        "result of more than 1 GB is refused",
        "5 seconds of CPU time, more than 512 MB",
    ),
    "arithmetic": (
        "at most 24 times the optimum",
        "A tree with 1.12 is at most 12 % above",
        "n log n would be 3.4 times",
        "cannot reach 100 %",
    ),
    "an assumption of the simulation": (
        "takes 5 ms for its way",
        "need 10 s to start",
    ),
    "an estimate by hand, with its arithmetic beside it": (
        "164 GB",
        "68 GB",
        "17 CPU h | 42 µs",
        "1 CPU h | 2.6 µs",
        "at most 41 GB",
        "10 min | 4.6 µs",
        "5 CPU min | 31 µs",
        "20 GB | 2 kB",
        "about 3 s per million rows, or 50 minutes",
        "32 cores and 512 GB",
    ),
    "theory: a proof, or counted exactly": (
        "a probability below 2 %",
        "≤ 1 times its share",
        "is within 0.05 % of it",
        "costs at most 8 % more than the optimum",
        "**LB₂ is within 0.5 % of the optimum**",
        "the optimum is 1.3 times the best bound",
        "| − 1 times",
        "≤ 2 min over binary",
    ),
    "history: how settings were chosen": (
        "after it had cost 1.3 points of P@1",
        "loses 1 to 6 points of P@1",
    ),
    "a range over the study": (
        "at a cost of 0.5 to 4 points of precision",
        "at a cost of up to 0.5 points of precision",
    ),
    "measured once by hand": (
        "the online state has 1.4 GB",
        "takes at most 2.7 GB",
        "takes about 40 % less memory than with 32-bit weights",
        "loses 13 points of P@1 with 8 passes and 1 point with 100",
        "The searches took 2.6 and 1.1 minutes",
        "needs more than 20 GB",
        "changes P@1 by less than 0.5 points",
        "new labels in 3.3 CPU seconds",
    ),
}
ALLOWED = {phrase: reason for reason, phrases in _BY_REASON.items() for phrase in phrases}
