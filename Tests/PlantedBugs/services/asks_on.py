"""A client that lives, and whose calls do not hear what another was told: each asks, whatever Retry-After says."""
import http.client, json, sys, urllib.error, urllib.request

LIMIT = 1 << 20


def call(line):
    data = line.get("body", "").encode() or None
    request = urllib.request.Request(line["url"], data, line["headers"], method=line["method"])
    try:
        with urllib.request.urlopen(request, timeout=3) as got:
            body = got.read(LIMIT).decode()
            if "json" not in got.headers.get("Content-Type", ""):
                return {"ok": False, "error": "no JSON"}
            return {"ok": True, "status": got.status, "shown": body}
    except urllib.error.HTTPError as error:
        return {"ok": False, "status": error.code}
    except (OSError, http.client.HTTPException) as error:
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
