"""A client that lives, answers a call that is given up at once, and goes on with it all the same: its retries do
not hear of it. A cancel is heeded by whoever waits for the call alone."""
import http.client, json, random, sys, threading, time, urllib.error, urllib.request

LIMIT, lock, open_calls = 1 << 20, threading.Lock(), set()


def say(call, answer):
    with lock:
        if call in open_calls:
            open_calls.discard(call)
            print(json.dumps({"call": call} | answer), flush=True)


def attempt(line):
    data = line.get("body", "").encode() or None
    request = urllib.request.Request(line["url"], data, line["headers"], method=line["method"])
    try:
        with urllib.request.urlopen(request, timeout=3) as got:
            return {"ok": True, "status": got.status, "shown": got.read(LIMIT).decode()}
    except urllib.error.HTTPError as error:
        return {"ok": False, "status": error.code}
    except (OSError, http.client.HTTPException) as error:
        return {"ok": False, "error": repr(error)}


def call(line):
    for number in range(3):
        answer = attempt(line)
        # The bug: nobody asks whether the call is still wanted.
        if line["method"] != "GET" or answer.get("status") != 503 or number == 2:
            return say(line["call"], answer)
        time.sleep(0.3 + random.uniform(0, 0.3))


for text in sys.stdin:
    line = json.loads(text)
    if "cancel" in line:
        say(line["cancel"], {"ok": False, "error": "cancelled"})
    else:
        with lock:
            open_calls.add(line["call"])
        threading.Thread(target=call, args=(line,), daemon=True).start()
