"""The parts of Scripts/development/real-clients that read cassettes and speak Python.

  ask CASSETTE URL FOLDER      writes curl.txt, which has curl ask for every recorded answer
  compare CASSETTE FOLDER      compares what curl got and told with the cassette
  session URL                  flies a session of requests
"""

import base64
import gzip
import json
import pathlib
import sys
from urllib.parse import urlsplit


def whole(cassette):
    """The interactions whose answers did not break off when they were recorded."""
    text = pathlib.Path(cassette).read_text(encoding="utf-8")
    return [i for i in json.loads(text)["interactions"] if "failure" not in i]


def body(message):
    """The bytes of a body; None where they are spelled as JSON, which has other spellings."""
    if "text" in message:
        return message["text"].encode()
    if "base64" in message:
        return base64.b64decode(message["base64"])
    return None if "json" in message else b""


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def ask(cassette, url, folder):
    lines = []
    for number, interaction in enumerate(whole(cassette)):
        request = interaction["request"]
        parts = urlsplit(request["url"])
        target = parts.path + ("?" + parts.query if parts.query else "")
        if lines:
            lines.append("next")
        lines += ["silent", "show-error", "path-as-is", "globoff"]
        lines.append("url = " + quoted(url + target))
        lines.append("output = " + quoted(f"{folder}/{number}.body"))
        lines.append('write-out = "%{http_code} %{num_connects}\\n"')
        method = request.get("method", "GET")
        lines.append("head" if method == "HEAD" else "request = " + quoted(method))
        sent = body(request)
        if sent is None:
            sent = json.dumps(request["json"]).encode()
        if sent:
            file = pathlib.Path(folder, f"{number}.sent")
            file.write_bytes(sent)
            lines.append("data-binary = " + quoted(f"@{file}"))
        for name, value in request.get("headers", []):
            if name.lower() not in ("content-length", "transfer-encoding", "host", "connection"):
                lines.append("header = " + quoted(f"{name}: {value}"))
    pathlib.Path(folder, "curl.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def compare(cassette, folder):
    interactions = whole(cassette)
    told = pathlib.Path(folder, "told").read_text().split("\n")[:-1]
    if len(told) != len(interactions):
        sys.exit(f"{len(interactions)} answers are recorded, and {len(told)} came")
    connections = 0
    for number, (interaction, line) in enumerate(zip(interactions, told)):
        request, response = interaction["request"], interaction["response"]
        name = f"{request.get('method', 'GET')} {request['url']}"
        status, opened = map(int, line.split())
        connections += opened
        if status != response.get("status", 200):
            sys.exit(f"{name}: recorded {response.get('status', 200)}, came {status}")
        if request.get("method") == "HEAD":
            continue
        file = pathlib.Path(folder, f"{number}.body")
        found = file.read_bytes() if file.exists() else b""
        # A body in gzip stands opened on the tape.
        if "gzip" in response:
            found = gzip.decompress(found)
        expected = body(response)
        same = json.loads(found) == response["json"] if expected is None else found == expected
        if not same:
            sys.exit(f"{name}: the body is not the recorded one")
    if connections != 1:
        sys.exit(f"{connections} connections were opened")
    print(f"{len(interactions)} recorded answers over one connection")


def session(url):
    import requests

    with requests.Session() as client:
        client.trust_env = False
        answer = client.get(url + "/login", timeout=30)
        assert answer.json() == {"greeting": "hello"}, answer.text
        assert [step.status_code for step in answer.history] == [302], answer.history
        assert answer.url == url + "/home?x=1", answer.url
        assert client.cookies["flavour"] == "oat", client.cookies
        assert answer.request.headers["Cookie"] == "flavour=oat", answer.request.headers
        for _ in range(10):
            noted = client.post(url + "/notes", json={"text": "x"}, timeout=30)
            assert (noted.status_code, noted.json()) == (201, {"id": 1}), noted.text
        pools = client.get_adapter(url).poolmanager.pools
        used = [pools[key] for key in pools.keys()]
        assert [pool.num_connections for pool in used] == [1], used
        assert [pool.num_requests for pool in used] == [12], used
    print(f"requests {requests.__version__}: a redirect, a cookie, 12 requests over one connection")


if __name__ == "__main__":
    {"ask": ask, "compare": compare, "session": session}[sys.argv[1]](*sys.argv[2:])
