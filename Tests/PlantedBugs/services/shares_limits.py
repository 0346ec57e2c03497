"""A careful client that lives: the moment until which a server is to be left alone holds for all of its calls."""
import http.client, json, sys, time, urllib.error, urllib.request

LIMIT = 1 << 20
limited = {}


def call(line):
    data, place = line.get("body", "").encode() or None, (line["method"], line["url"].split("?")[0])
    # Each call has an address of its own, of which the end is what was recorded.
    place = place[0], place[1].rsplit("/", 1)[-1]
    if time.monotonic() < limited.get(place, 0.0):
        return {"ok": False, "error": "told to wait", "attempts": 0}
    request = urllib.request.Request(line["url"], data, line["headers"], method=line["method"])
    try:
        with urllib.request.urlopen(request, timeout=3) as got:
            body = got.read(LIMIT).decode()
            if "json" not in got.headers.get("Content-Type", ""):
                return {"ok": False, "error": "no JSON"}
            return {"ok": True, "status": got.status, "shown": body}
    except urllib.error.HTTPError as error:
        wait = error.headers.get("Retry-After", "")
        if error.code in (429, 503) and wait.isdigit():
            limited[place] = time.monotonic() + float(wait)
        return {"ok": False, "status": error.code}
    except (OSError, http.client.HTTPException) as error:
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
