"""A client that lives and keeps one connection, which it does not open again once the server has closed it."""
import http.client, json, sys
from urllib.parse import urlsplit

LIMIT, kept = 1 << 20, {}


def connection(host):
    if host not in kept:
        kept[host] = http.client.HTTPConnection(host, timeout=4)
        kept[host].connect()
        # The bug: it stays, and is opened no second time.
        kept[host].auto_open = 0
    return kept[host]


def call(line):
    url = urlsplit(line["url"])
    try:
        asked = connection(url.netloc)
        path = url.path + ("?" + url.query if url.query else "")
        asked.request(line["method"], path, line.get("body", "").encode() or None, line["headers"])
        got = asked.getresponse()
        body = got.read(LIMIT).decode()
        if got.status >= 400 or "json" not in got.headers.get("Content-Type", "json"):
            return {"ok": False, "status": got.status}
        return {"ok": True, "status": got.status, "shown": body}
    except (OSError, http.client.HTTPException) as error:
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
