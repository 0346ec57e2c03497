"""A careful client of a conversation: it subscribes to everything on each connection, knows a message again, pings a
silent server, waits longer from attempt to attempt, and takes a refusal for the end. Usage: careful_chat.py URL."""
import json, random, sys, time
from chat import Chat, Closed

WANTED, WHOLE, QUIET, REFUSALS = 6, 25.0, 3.0, {1002, 1003, 1007, 1008, 1009, 1010}


def listen(url, seen, end):
    chat = Chat(url)
    try:
        for topic in ("news", "weather"):
            chat.subscribe(topic)
        while len(seen) < WANTED:
            text = chat.hear(QUIET, end)
            if text is None:
                raise SystemExit("the whole call")
            if text not in seen:
                seen.add(text)
                print(json.dumps({"received": text}), flush=True)
    finally:
        chat.close()


def hold(url):
    seen, end, attempt = set(), time.monotonic() + WHOLE, 0
    while len(seen) < WANTED:
        try:
            listen(url, seen, end)
        except OSError as error:
            pause = 0.2 + random.uniform(0, 0.5 * 2**attempt)
            if isinstance(error, Closed) and error.code in REFUSALS or time.monotonic() + pause > end:
                raise SystemExit(f"{url}: {error}")
            time.sleep(pause)
            attempt += 1


hold(sys.argv[1])
