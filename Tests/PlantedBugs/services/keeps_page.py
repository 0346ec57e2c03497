"""A client that lives: it keeps what it is answered by its address before it looks at it, and what is kept is not
looked at again."""
import http.client, json, sys, urllib.error, urllib.request

kept = {}


def call(line):
    asked = line["method"], line["url"]
    if asked in kept:
        return {"ok": True, "shown": kept[asked]}
    data = line.get("body", "").encode() or None
    request = urllib.request.Request(line["url"], data, line["headers"], method=line["method"])
    try:
        with urllib.request.urlopen(request, timeout=3) as got:
            body = got.read().decode()
            if line["method"] == "GET":
                kept[asked] = body
            if "json" not in got.headers.get("Content-Type", ""):
                return {"ok": False, "error": "no JSON"}
            return {"ok": True, "shown": body}
    except urllib.error.HTTPError as error:
        return {"ok": False, "status": error.code}
    except (OSError, http.client.HTTPException) as error:
        return {"ok": False, "error": repr(error)}


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
