"""A client that lives and keeps what it may: it shows an answer again within its max-age, and asks by its ETag beyond
that. Where the server fails it shows nothing. With the word `shows` it shows its copy then, and says so; with `etags`
it keeps nothing that has none."""
import http.client, json, re, sys, time, urllib.error, urllib.request

words, kept = sys.argv[1:], {}


def call(line):
    if line["method"] != "GET":
        return ask(line, line["headers"], None)
    had = kept.get(line["url"])
    if had and time.monotonic() < had["until"]:
        return {"ok": True, "shown": had["body"], "attempts": 0}
    told = ask(line, line["headers"] | ({"If-None-Match": had["etag"]} if had and had["etag"] else {}), had)
    if not told["ok"] and had and "shows" in words:
        return {"ok": True, "shown": had["body"], "stale": True}
    return told


def ask(line, headers, had):
    data = line.get("body", "").encode() or None
    request = urllib.request.Request(line["url"], data, headers, method=line["method"])
    try:
        with urllib.request.urlopen(request, timeout=3) as got:
            body, etag = got.read().decode(), got.headers.get("ETag")
            age = re.search(r"max-age=(\d+)", got.headers.get("Cache-Control", ""))
            if line["method"] == "GET" and (etag or age and "etags" not in words):
                kept[line["url"]] = {"body": body, "etag": etag, "until": time.monotonic() + int(age[1] if age else 0)}
            return {"ok": True, "status": got.status, "shown": body}
    except urllib.error.HTTPError as error:
        if error.code == 304 and had:
            return {"ok": True, "shown": had["body"]}
        return {"ok": False, "status": error.code}
    except (OSError, http.client.HTTPException) as error:
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
