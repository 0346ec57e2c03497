"""A careful client that lives: a call a line comes in, an answer a line goes out. It limits an attempt and the
whole call, repeats a GET at most twice with full jitter, keeps to Retry-After, and posts once."""
import email.utils, http.client, json, random, sys, time, urllib.error, urllib.request

WHOLE = 8.0


def asked(field):
    """The wait that a Retry-After asks for; none where it cannot be read."""
    try:
        return float(field) if field.isdigit() else email.utils.parsedate_to_datetime(field).timestamp() - time.time() + 1
    except ValueError:
        return 0.0


def call(line):
    end, data = time.monotonic() + WHOLE, line.get("body", "").encode() or None
    for attempt in range(1, 4):
        pause, answer = 0.1 + random.uniform(0, 0.3 * 2**attempt), {"ok": False, "attempts": attempt}
        request = urllib.request.Request(line["url"], data, line["headers"], method=line["method"])
        try:
            with urllib.request.urlopen(request, timeout=max(0.1, min(3.0, end - time.monotonic()))) as got:
                body = got.read().decode()
                if "json" in got.headers.get("Content-Type", ""):
                    return {"ok": True, "status": got.status, "attempts": attempt, "shown": body}
                return answer | {"error": "no JSON"}
        except urllib.error.HTTPError as error:
            answer["status"] = error.code
            if error.code not in (429, 502, 503, 504):
                return answer
            pause = max(pause, asked(error.headers.get("Retry-After", "")))
        except (OSError, http.client.HTTPException) as error:
            answer["error"] = repr(error)
        if line["method"] != "GET" or attempt == 3 or time.monotonic() + pause > end - 0.5:
            return answer
        time.sleep(pause)


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        print(json.dumps({"call": line["call"]} | call(line)), flush=True)
