"""A client that lives: when every attempt fails it shows what it has kept, and with the word `honest` says so."""
import http.client, json, random, sys, time, urllib.error, urllib.request

kept = {}


def ask(line, body):
    for attempt in range(1, 3):
        answer = {"ok": False, "attempts": attempt}
        request = urllib.request.Request(line["url"], body.encode() or None, line["headers"], method=line["method"])
        try:
            with urllib.request.urlopen(request, timeout=3) as got:
                shown = got.read().decode()
                if "json" in got.headers.get("Content-Type", ""):
                    return answer | {"ok": True, "status": got.status, "shown": shown}
                return answer | {"error": "no JSON"}
        except urllib.error.HTTPError as error:
            answer["status"] = error.code
            if error.code not in (502, 503, 504) or error.headers.get("Retry-After"):
                return answer
        except (OSError, http.client.HTTPException) as error:
            answer["error"] = repr(error)
        if line["method"] != "GET" or attempt == 2:
            return answer
        time.sleep(0.1 + random.uniform(0, 0.4))


def call(line):
    answer, asked = ask(line, line.get("body", "")), line["url"].split("/", 3)[3]
    if line["method"] == "GET" and answer["ok"]:
        kept[asked] = answer["shown"]
    elif line["method"] == "GET" and asked in kept:
        return {"ok": True, "shown": "stale" if "honest" in sys.argv else kept[asked], "attempts": answer["attempts"]}
    return answer


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
