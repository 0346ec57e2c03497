"""A client that lives: what failed waits in a queue, and all of it is sent at the moment at which a request goes
well."""
import http.client, json, sys, threading, urllib.error, urllib.request

waiting = []


def once(line):
    data = line.get("body", "").encode() or None
    request = urllib.request.Request(line["url"], data, line["headers"], method=line["method"])
    try:
        with urllib.request.urlopen(request, timeout=3) as got:
            body = got.read().decode()
            isJSON = "json" in got.headers.get("Content-Type", "")
            return {"ok": True, "shown": body} if isJSON else {"ok": False, "error": "no JSON"}
    except urllib.error.HTTPError as error:
        return {"ok": False, "status": error.code}
    except (OSError, http.client.HTTPException) as error:
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" not in line:
        continue
    answer = once(line)
    if not answer["ok"] and answer.get("status") == 503:
        waiting.append(line)
    elif answer["ok"]:
        for old in waiting:
            threading.Thread(target=once, args=[old], daemon=True).start()
        waiting = []
    print(json.dumps({"call": line["call"]} | answer), flush=True)
