"""A client that lives: it reads as much of an answer as its JSON takes, and the rest stays in the connection, which
stays in a pool. With the word `closes` it closes what it does not read, and with `reads` it reads on."""
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
        body = (got.read() if "reads" in sys.argv else got.read(1024)).decode().strip()
        # What is open lives as long as its answer does.
        pool.append((connection, got))
        if "closes" in sys.argv:
            connection.close()
            got.close()
        isFine = got.status < 300 and "json" in got.headers.get("Content-Type", "")
        return {"ok": True, "shown": body} if isFine else {"ok": False, "status": got.status}
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
