"""The examples of docs/how-to/serving.md, and the files in examples/serving."""

import json
import os
import re
import subprocess
from dataclasses import fields
from pathlib import Path

import httpx

from labeltree.serve.settings import PREFIX, Settings, parse_setting
from tests.serve.running import running

ROOT = Path(__file__).parents[2]
# curl waits forever if the runtime of AddressSanitizer is loaded into it.
_WITHOUT_SANITIZERS = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
PAGE = (ROOT / "docs" / "how-to" / "serving.md").read_text()
LIMITS = (ROOT / "docs" / "reference" / "server.md").read_text()


def test_the_curl_examples_of_the_page_answer(text_file, tmp_path) -> None:
    commands = re.findall(r"^\$ (curl (?:.*\\\n)*.*)$", PAGE, flags=re.MULTILINE)
    assert len(commands) == 4
    with running(tmp_path, f"model={text_file}") as server:
        for command in commands:
            asked = command.replace("localhost:8000", f"localhost:{server.port}")
            done = subprocess.run(
                ["bash", "-c", asked], capture_output=True, check=True, env=_WITHOUT_SANITIZERS
            )
            assert "detail" not in json.loads(done.stdout), command


def test_the_client_of_the_page_gets_answers(text_file, tmp_path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    with running(tmp_path, str(text_file)) as server:
        names: dict[str, object] = {}
        exec(code.replace("http://localhost:8000", server.url), names)
        found = names["tag"](["green tea"], k=1)  # type: ignore[operator]
        names["client"].close()  # type: ignore[attr-defined]
    assert found[0][0]["label"] == "tea"


def test_the_limits_of_the_page_are_the_defaults() -> None:
    rows = re.findall(
        r"^\| `(max_\w+|body_seconds)`.*?\| ([\d,.]+)(?: (MB|bytes|s))? \|", LIMITS, re.M
    )
    assert len(rows) == 8
    defaults = {one.name: one.default for one in fields(Settings)}
    for name, number, unit in rows:
        factor = 1_000_000 if unit == "MB" else 1
        assert float(number.replace(",", "")) * factor == defaults[name]


def test_the_settings_of_the_examples_are_known() -> None:
    known = {PREFIX + one.name.upper() for one in fields(Settings)} | {PREFIX + "TOKEN"}
    for path in (ROOT / "examples" / "serving").iterdir():
        assert set(re.findall(rf"{PREFIX}\w+", path.read_text())) <= known


def test_settings_come_from_options_then_the_environment_then_defaults() -> None:
    environment = {PREFIX + "PORT": "81", PREFIX + "MAX_K": "7", PREFIX + "PAGE": "false"}
    made = Settings.from_environment(environment, port=82, max_k=None)
    assert (made.port, made.max_k, made.page, made.max_texts) == (82, 7, False, 1_000)


def test_a_setting_of_the_wrong_kind_is_told() -> None:
    import pytest

    for one in fields(Settings):
        if isinstance(one.default, int | float):
            with pytest.raises(ValueError, match=f"{one.name} must be .*, but is 'x'"):
                parse_setting(one, "x")
    with pytest.raises(ValueError, match="a token is needed"):
        Settings(host="0.0.0.0").token({})


def test_another_asgi_server_can_run_the_application(text_file) -> None:
    import asyncio

    from labeltree.serve import asgi_app

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(asgi_app([str(text_file)], log_requests=False))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.post("/v1/tag", json={"text": "tea"})

    assert asyncio.run(ask()).status_code == 200
