"""A client that lives: each call puts its connection into a pool, and none takes one from it."""
import http.client, json, sys
from urllib.parse import urlsplit

pool = []


def call(line):
    url = urlsplit(line["url"])
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=3)
    try:
        path = f"{url.path}?{url.query}" if url.query else url.path
        connection.request(line["method"], path, line.get("body", "").encode() or None, line["headers"])
        got = connection.getresponse()
        body = got.read().decode()
        pool.append(connection)
        isFine = got.status < 300 and "json" in got.headers.get("Content-Type", "")
        return {"ok": True, "shown": body} if isFine else {"ok": False, "status": got.status}
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
