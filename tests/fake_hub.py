"""A hub on loopback that answers what huggingface_hub asks for uploads and downloads."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class FakeHub(ThreadingHTTPServer):
    """Repositories in memory: files by name, and all requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, dict[str, bytes]] = {}
        self.requests: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def running_hub() -> Iterator[FakeHub]:
    """A hub that answers until the block ends."""
    with FakeHub() as hub:
        thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield hub
        finally:
            hub.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: FakeHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_POST(self) -> None:
        path = urlsplit(self.path).path
        self.server.requests.append(f"POST {path}")
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if path == "/api/repos/create":
            made = json.loads(body)
            repo = f"{made.get('organization') or 'me'}/{made['name']}"
            self.server.files.setdefault(repo, {})
            self._answer(200, {"url": f"{self.server.url}/{repo}"})
        elif path == "/api/validate-yaml":
            self._answer(200, {"errors": [], "warnings": []})
        elif path.startswith("/api/models/") and "/preupload/" in path:
            names = [file["path"] for file in json.loads(body)["files"]]
            modes = [
                {"path": name, "uploadMode": "regular", "shouldIgnore": False} for name in names
            ]
            self._answer(200, {"files": modes})
        elif path.startswith("/api/models/") and "/commit/" in path:
            repo = "/".join(path.split("/")[3:5])
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    content = base64.b64decode(line["value"]["content"])
                    self.server.files.setdefault(repo, {})[line["value"]["path"]] = content
            url = f"{self.server.url}/{repo}/commit/{COMMIT}"
            self._answer(200, {"commitUrl": url, "commitOid": COMMIT, "success": True})
        else:
            self._answer(404, {})

    def do_HEAD(self) -> None:
        self._file()

    def do_GET(self) -> None:
        self._file()

    def _file(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.server.requests.append(f"{self.command} {path}")
        parts = path.strip("/").split("/")
        repo = "/".join(parts[:2])
        if parts[:2] == ["api", "models"] and parts[4:5] == ["revision"]:
            self._answer(200, {"id": "/".join(parts[2:4]), "sha": COMMIT, "xetEnabled": False})
        elif len(parts) < 5 or parts[2] != "resolve":
            self._answer(404, {})
        elif repo not in self.server.files:
            self._answer(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
        elif parts[3] not in ("main", COMMIT):
            self._answer(404, {}, {"X-Error-Code": "RevisionNotFound"})
        elif "/".join(parts[4:]) not in self.server.files[repo]:
            headers = {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT}
            self._answer(404, {}, headers)
        else:
            content = self.server.files[repo]["/".join(parts[4:])]
            etag = hashlib.sha256(content).hexdigest()
            self._send(200, content, {"ETag": f'"{etag}"', "X-Repo-Commit": COMMIT})

    def _answer(self, code: int, content: object, headers: dict[str, str] | None = None) -> None:
        self._send(code, json.dumps(content).encode(), headers or {})

    def _send(self, code: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
