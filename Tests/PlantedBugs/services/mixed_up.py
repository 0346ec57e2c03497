"""A client that lives, on one connection: it gives an answer up after a second and keeps the connection, on which
that answer is the next one."""
import http.client, json, socket, sys
from urllib.parse import urlsplit

kept = {}


def call(line):
    url = urlsplit(line["url"])
    body = line.get("body", "").encode()
    head = [f"{line['method']} {url.path}{'?' + url.query if url.query else ''} HTTP/1.1", f"Host: {url.netloc}"]
    head += [f"{name}: {value}" for name, value in line["headers"].items()]
    head += [f"Content-Length: {len(body)}"] * (line["method"] != "GET")
    try:
        if url.netloc not in kept:
            kept[url.netloc] = socket.create_connection((url.hostname, url.port), timeout=1)
        kept[url.netloc].sendall("\r\n".join(head + ["", ""]).encode() + body)
        got = http.client.HTTPResponse(kept[url.netloc], method=line["method"])
        got.begin()
        text = got.read().decode()
        if got.will_close:
            kept.pop(url.netloc).close()
        isFine = got.status < 300 and "json" in got.headers.get("Content-Type", "")
        return {"ok": True, "shown": text} if isFine else {"ok": False, "status": got.status}
    except TimeoutError:
        # Here the connection should have been closed.
        return {"ok": False, "error": "timed out"}
    except (OSError, http.client.HTTPException) as error:
        kept.pop(url.netloc, None)
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
