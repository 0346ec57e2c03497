"""A client that lives: it keeps what it was answered for five minutes, whatever its age was when it came. With the
word `honest` it says so where it shows a copy."""
import http.client, json, sys, time, urllib.error, urllib.request

kept = {}


def call(line):
    asked = line["method"], line["url"]
    if asked in kept and time.monotonic() - kept[asked][0] < 300:
        copy = {"ok": True, "shown": kept[asked][1]}
        return copy | {"stale": True} if "honest" in sys.argv else copy
    data = line.get("body", "").encode() or None
    request = urllib.request.Request(line["url"], data, line["headers"], method=line["method"])
    try:
        with urllib.request.urlopen(request, timeout=3) as got:
            body = got.read().decode()
            if "json" not in got.headers.get("Content-Type", ""):
                return {"ok": False, "error": "no JSON"}
            if line["method"] == "GET":
                kept[asked] = time.monotonic(), body
            return {"ok": True, "shown": body}
    except urllib.error.HTTPError as error:
        return {"ok": False, "status": error.code}
    except (OSError, http.client.HTTPException) as error:
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
