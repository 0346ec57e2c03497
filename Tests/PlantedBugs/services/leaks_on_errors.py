"""A client that lives: it keeps one connection, and leaves it open unread behind each error response."""
import http.client, json, sys, time
from urllib.parse import urlsplit

left, kept = [], []


def ask(line):
    url = urlsplit(line["url"])
    connection = kept.pop() if kept else http.client.HTTPConnection(url.hostname, url.port, timeout=3)
    path = f"{url.path}?{url.query}" if url.query else url.path
    try:
        connection.request(line["method"], path, line.get("body", "").encode() or None, line["headers"])
        got = connection.getresponse()
        if got.status >= 400:
            left.append((connection, got))
            return got.status, ""
        body = got.read().decode()
        kept.append(connection)
        return got.status, body
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return 0, repr(error)


def call(line):
    for attempt in range(3 if line["method"] == "GET" else 1):
        if attempt > 0:
            time.sleep(0.2 * 2**attempt)
        status, body = ask(line)
        if 200 <= status < 300:
            return {"ok": True, "shown": body}
    return {"ok": False, "status": status} if status else {"ok": False, "error": body}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
