"""A client that lives and takes its server for dead after one time-out. The bug: nothing makes it live again. With the
word `careful` it tries the server again after ten seconds."""
import http.client, json, sys, time, urllib.error, urllib.request

dead, rest = 0.0, 10.0 if "careful" in sys.argv else float("inf")


def call(line):
    global dead
    if time.monotonic() < dead:
        return {"ok": False, "error": "the server is dead", "attempts": 0}
    data = line.get("body", "").encode() or None
    request = urllib.request.Request(line["url"], data, line["headers"], method=line["method"])
    try:
        with urllib.request.urlopen(request, timeout=3) as got:
            body = got.read(1 << 20).decode()
            if "json" not in got.headers.get("Content-Type", ""):
                return {"ok": False, "error": "no JSON"}
            return {"ok": True, "status": got.status, "shown": body}
    except urllib.error.HTTPError as error:
        return {"ok": False, "status": error.code}
    except (OSError, http.client.HTTPException) as error:
        if "timed out" in str(error):
            dead = time.monotonic() + rest
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
