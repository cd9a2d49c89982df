"""Thousands of hostile requests: python -m tests.serve.hostile --count 10000 --seed 0.

None may be answered by a status of 500, end the server or make it read without a limit.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import labeltree as lt
from tests.serve.conftest import TAGS, TEXTS
from tests.serve.running import Running, running

Generator = np.random.Generator
_SECONDS = 5.0  # in which a request must be answered or its connection closed
_AT_ONCE = 16
_PATHS = [
    *("/v1/tag", "/v1/explain", "/v1/feedback", "/v1/reload", "/v1/model", "/v1/models"),
    *("/metrics", "/live", "/", "/v1/projects/food/suggest", "/v1/projects/food/suggest-batch"),
    *("/v1/projects/food/learn", "/v2/models/food/infer", "/v2/models/food", "/nothing"),
    *("/../../etc/passwd", "/%00", "/%2e%2e/x", "//", "/v1/tag/", "/" + "a" * 10_000, "*", "\xff"),
]
_METHODS = ["POST", "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PRI", "x", ""]
_TYPES = ["application/json", "application/x-www-form-urlencoded", "text/plain", "\x00", ""]


def mostly_first(rng: Generator, n: int, scale: float = 0.5) -> int:
    """A number below n, 0 most of the time."""
    return min(int(rng.exponential(scale)), n - 1)


def odd_number(rng: Generator) -> object:
    numbers = [-1, 0, 1, 2, 5, 2**31, 2**63, 2**64, 10**400, 1.5, 1e308, -1e-320, True, None]
    return numbers[rng.integers(len(numbers))]


def odd_text(rng: Generator) -> str:
    texts = [
        "",
        "tea",
        "t" * 600_000,
        "tea " * 20_000,
        "\x00\x1b[2J",
        "\ud800",
        "\u202e" * 50,
        "a\u0301" * 999,
        "<img src=x onerror=alert(1)>",
        "\U0001f375" * 100,
        "' OR 1=1 --",
    ]
    return texts[rng.integers(len(texts))]


def odd_value(rng: Generator, depth: int = 0) -> object:
    kind = rng.integers(7 if depth < 3 else 2)
    if kind == 0:
        return odd_text(rng)
    if kind == 1:
        return odd_number(rng)
    if kind in (2, 3):
        return [odd_value(rng, depth + 1) for _ in range(rng.integers(4))]
    names = ["text", "texts", "features", "indices", "values", "k", "labels", "document_id", "x"]
    return {names[rng.integers(len(names))]: odd_value(rng, depth + 1) for _ in range(3)}


def message(rng: Generator) -> bytes:
    """A body: nearly right, wrong, deep, cut or noise."""
    fields: dict[str, object] = {"text": odd_text(rng)}
    names = ["texts", "features", "k", "threshold", "labels", "model", "label", "top_features"]
    names += ["accepted", "rejected", "added", "documents", "inputs", "parameters", "id", "text"]
    for _ in range(rng.integers(4)):
        fields[names[rng.integers(len(names))]] = odd_value(rng)
    body = json.dumps(fields).encode()
    kind = rng.integers(12)
    if kind == 0:
        return body[: rng.integers(len(body) + 1)]
    if kind == 1:
        start = [b"[", b'{"text":', b'{"features":[', b'{"inputs":[{"data":['][rng.integers(4)]
        return start * int(rng.integers(1, 30_000))
    if kind == 2:
        return rng.bytes(int(rng.integers(2_000)))
    if kind == 3:
        changed = bytearray(body)
        changed[rng.integers(len(changed))] = int(rng.integers(256))
        return bytes(changed)
    if kind == 4:
        return b"text=" + rng.bytes(20).hex().encode() + b"&limit=%d" % rng.integers(200)
    return body


def headers(rng: Generator, token: str) -> list[bytes]:
    tokens = [token, token[:-1], "", "\xff", "a" * 5_000, token + "\x00"]
    given = [b"Host: " + [b"localhost", b"evil.example", b"", b"[::1]:x"][mostly_first(rng, 4)]]
    given.append(b"Content-Type: " + _TYPES[mostly_first(rng, 5)].encode("latin-1"))
    if rng.random() < 0.5:
        given.append(
            b"Authorization: Bearer " + tokens[mostly_first(rng, 6, 1.0)].encode("latin-1")
        )
    if rng.random() < 0.2:
        odd = [
            b"X: " + b"y" * 20_000,
            b"Origin: null",
            b"Content-Encoding: gzip",
            b"Expect: 100-continue",
            b"Upgrade: websocket\r\nConnection: Upgrade",
            b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
            b"A b: c",
            b"no colon",
            b"\x00: x",
            b"\r\n".join(b"H%d: v" % i for i in range(2_000)),
        ]
        given.append(odd[rng.integers(len(odd))])
    return given


def request(rng: Generator, token: str) -> tuple[bytes, bytes]:
    """The head and the body of a hostile request."""
    method = _METHODS[mostly_first(rng, len(_METHODS))]
    path = _PATHS[mostly_first(rng, len(_PATHS), 4.0)]
    if rng.random() < 0.1:
        path += "?" + "&".join(f"{odd_text(rng)[:50]!r}=%zz" for _ in range(rng.integers(200)))
    given, body = headers(rng, token), message(rng)
    kind = rng.integers(8)
    if kind == 0:  # a length that is not true
        length = [b"-1", b"0", b"1", b"99999999999999999999", b"abc", b"1,2"][rng.integers(6)]
        given.append(b"Content-Length: " + length)
    elif kind == 1:  # chunks
        given.append(b"Transfer-Encoding: chunked")
        body = chunked(rng, body)
    else:
        given.append(b"Content-Length: %d" % len(body))
    version = [b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2.0", b"HTTX"][mostly_first(rng, 4, 0.3)]
    line = method.encode() + b" " + path.encode("latin-1", "replace") + b" " + version
    return b"\r\n".join([line, *given, b"", b""]), body


def chunked(rng: Generator, body: bytes) -> bytes:
    kinds: list[Callable[[], bytes]] = [
        lambda: b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body),
        lambda: b"".join(b"1\r\n%c\r\n" % byte for byte in body[:2_000]) + b"0\r\n\r\n",
        lambda: b"ffffffffffffffff\r\n" + body,
        lambda: b"-5\r\n" + body,
        lambda: b"100000\r\n" + b"x" * 0x100000 + b"\r\n100000\r\n" + b"x" * 0x100000,
        lambda: b"zz\r\n" + body,
    ]
    return kinds[rng.integers(len(kinds))]()


async def ask(server: Running, seed: int, number: int) -> str:
    """Send one request and return its status, or how its connection ended."""
    rng = np.random.default_rng([seed, number])
    head, body = request(rng, server.token)
    is_slow = rng.random() < 0.02
    reader, writer = await asyncio.open_connection(server.host, server.port)
    try:
        async with asyncio.timeout(_SECONDS):
            writer.write(head)
            if is_slow:
                for byte in body[:20]:
                    writer.write(bytes([byte]))
                    await asyncio.sleep(0.1)
            else:
                writer.write(body)
            line = await reader.readline()
            return line.split()[1].decode() if line.startswith(b"HTTP/") else "closed"
    except ConnectionError:
        return "closed"
    except TimeoutError:
        return "hung"
    finally:
        writer.close()


async def attack(server: Running, seed: int, count: int) -> Counter[str]:
    """Send all requests, several at a time."""
    found: Counter[str] = Counter()
    numbers = iter(range(count))

    async def work() -> None:
        for number in numbers:
            status = await ask(server, seed, number)
            found[status] += 1
            if status in ("500", "502", "hung"):
                print(f"request {number}: {status}", file=sys.stderr)

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))
    return found


def memory(process: int) -> int:
    """Resident memory of a process in kB."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def run(folder: Path, seed: int, count: int) -> tuple[Counter[str], list[str]]:
    """Attack a new server; return the statuses and what went wrong."""
    model = folder / "food.lt"
    lt.TextTagger(n_jobs=1).fit(TEXTS, TAGS).save(model)
    feedback = str(folder / "feedback.jsonl")
    with running(folder, str(model), "--feedback", feedback, "--body-seconds", "2") as server:
        (worker,) = server.workers()
        asyncio.run(attack(server, seed + 1, min(count, 500)))  # until memory has its size
        before = memory(worker)
        found = asyncio.run(attack(server, seed, count))
        after = memory(worker) if server.workers() == [worker] else 0
        wrong = [f"{found[status]} times {status}" for status in ("500", "hung") if found[status]]
        if not after:
            wrong.append("the worker ended")
        if after > before + 64_000:
            wrong.append(f"memory grew from {before} kB to {after} kB")
        if '"event":"error"' in server.log:
            wrong.append("the log has errors")
    return found, wrong


def main() -> int:
    """Attack a new server and print what it answered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found, wrong = run(Path(folder), arguments.seed, arguments.count)
    statuses = ", ".join(f"{status} {n:,}" for status, n in sorted(found.items()))
    print(f"{found.total():,} hostile requests: {statuses}")
    print("wrong: " + "; ".join(wrong) if wrong else "nothing went wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
