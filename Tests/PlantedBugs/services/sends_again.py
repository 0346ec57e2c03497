"""A client that lives, on one connection: where that is dead it opens another and sends the request again, whatever it
was."""
import http.client, json, sys
from urllib.parse import urlsplit

kept = {}


def once(line, isSecond):
    url = urlsplit(line["url"])
    if url.netloc not in kept:
        kept[url.netloc] = http.client.HTTPConnection(url.hostname, url.port, timeout=3)
    connection = kept[url.netloc]
    try:
        path = f"{url.path}?{url.query}" if url.query else url.path
        connection.request(line["method"], path, line.get("body", "").encode() or None, line["headers"])
        got = connection.getresponse()
        body = got.read().decode()
        isFine = got.status < 300 and "json" in got.headers.get("Content-Type", "")
        return {"ok": True, "shown": body} if isFine else {"ok": False, "status": got.status}
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        if isinstance(error, (ConnectionError, http.client.RemoteDisconnected)) and not isSecond:
            return once(line, True)
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | once(line, False)), flush=True)
