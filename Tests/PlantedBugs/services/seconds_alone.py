"""A client that lives, and repeats a GET after the seconds in Retry-After. A date there raises an error; with the
word careful it is read."""
import email.utils, http.client, json, sys, time, urllib.error, urllib.request


def asked(field):
    if "careful" not in sys.argv or field.isdigit():
        return int(field)
    return max(0.0, email.utils.parsedate_to_datetime(field).timestamp() - time.time()) + 0.2


def call(line):
    data = line.get("body", "").encode() or None
    answer = {"ok": False}
    for attempt in range(3):
        request = urllib.request.Request(line["url"], data, line["headers"], method=line["method"])
        try:
            with urllib.request.urlopen(request, timeout=3) as got:
                return {"ok": True, "shown": got.read().decode()}
        except urllib.error.HTTPError as error:
            answer = {"ok": False, "status": error.code}
            field = error.headers.get("Retry-After")
            if line["method"] != "GET" or error.code not in (429, 503) or not field:
                return answer
            try:
                wait = asked(field)
            except ValueError as error:
                return {"ok": False, "error": repr(error)}
            if wait > 5:
                return answer
            time.sleep(wait)
        except (OSError, http.client.HTTPException) as error:
            return {"ok": False, "error": repr(error)}
    return answer


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
