"""A careful client that lives: where the server fails it shows what is still fresh by max-age (RFC 9111 §4.2) as it is,
and anything older not at all. With the word `ignores` it is the bug: it shows what is older, too."""
import http.client, json, re, sys, time, urllib.error, urllib.request

kept, ignores = {}, "ignores" in sys.argv


def call(line):
    body, asked = line.get("body", "").encode() or None, (line["method"], line["url"].split("/", 3)[3])
    request = urllib.request.Request(line["url"], body, line["headers"], method=line["method"])
    try:
        with urllib.request.urlopen(request, timeout=3) as got:
            shown, age = got.read().decode(), re.search(r"max-age=(\d+)", got.headers.get("Cache-Control", ""))
        if "json" not in got.headers.get("Content-Type", ""):
            return {"ok": False, "error": "no JSON"}
        if line["method"] == "GET" and (age or ignores):
            kept[asked] = shown, float("inf") if ignores else time.monotonic() + int(age[1])
        return {"ok": True, "status": got.status, "shown": shown}
    except (OSError, http.client.HTTPException) as error:
        shown, until = kept.get(asked, ("", 0))
        if time.monotonic() < until:
            return {"ok": True, "shown": shown}
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
