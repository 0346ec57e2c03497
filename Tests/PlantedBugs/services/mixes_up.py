"""A client that lives and keeps what it was answered. With the word `query` it keeps it by the path alone, and with
`user` by all but the user, which it shows where the server fails. With `careful` it keeps it by the whole address and
by what Vary names, asks with its parameters in order, and says where it shows a copy."""
import http.client, json, re, sys, time, urllib.error, urllib.request
from urllib.parse import urlsplit

how, kept, varies = sys.argv[1], {}, {}


def key(line):
    url = urlsplit(line["url"])
    asked = sorted(part for part in url.query.split("&") if how == "careful" or how == "user" and part[:5] != "user=")
    fields = {name.lower(): value for name, value in line["headers"].items()} if how == "careful" else {}
    varied = [fields.get(name) for name in varies.get(line["endpoint"], [])]
    return line["endpoint"], "&".join(asked), str(varied)


def call(line):
    had = kept.get(key(line)) if line["method"] == "GET" else None
    if had and time.monotonic() < had[1]:
        return {"ok": True, "shown": had[0]}
    url = urlsplit(line["url"])
    address = url._replace(query="&".join(sorted(url.query.split("&")))).geturl()
    body = line.get("body", "").encode() or None
    try:
        request = urllib.request.Request(address, body, line["headers"], method=line["method"])
        with urllib.request.urlopen(request, timeout=3) as got:
            text, age = got.read().decode(), re.search(r"max-age=(\d+)", got.headers.get("Cache-Control", ""))
        if "json" not in got.headers.get("Content-Type", ""):
            return {"ok": False, "error": "no JSON"}
        if line["method"] == "GET" and got.headers.get("Age") is None:
            varies[line["endpoint"]] = sorted(got.headers.get("Vary", "").lower().replace(" ", "").split(","))
            fresh = 60 if how == "query" else int(age[1]) if age and how == "careful" else 0
            kept[key(line)] = text, time.monotonic() + fresh
        return {"ok": True, "shown": text}
    except (OSError, http.client.HTTPException) as error:
        if had and how != "query":
            return {"ok": True, "shown": had[0], "stale": True}
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
