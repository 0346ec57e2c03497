"""A client that lives, with a breaker that opens after five failures in a row and lets nothing through ever after."""
import http.client, json, sys, urllib.error, urllib.request

failures = 0


def call(line):
    global failures
    if failures >= 5:
        return {"ok": False, "error": "the circuit is open"}
    data = line.get("body", "").encode() or None
    request = urllib.request.Request(line["url"], data, line["headers"], method=line["method"])
    try:
        with urllib.request.urlopen(request, timeout=3) as got:
            body = got.read().decode()
            if "json" not in got.headers.get("Content-Type", ""):
                return {"ok": False, "error": "no JSON"}
            failures = 0
            return {"ok": True, "status": got.status, "shown": body}
    except urllib.error.HTTPError as error:
        failures += error.code >= 500
        return {"ok": False, "status": error.code}
    except (OSError, http.client.HTTPException) as error:
        failures += 1
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
