"""Bug: each connection adds its listener, and none takes the old one away. Usage: listens_twice.py URL."""
import json, random, sys, time
from chat import Chat


def show(text):
    print(json.dumps({"received": text}), flush=True)


seen, listeners, attempt, end = set(), [], 0, time.monotonic() + 14
while len(seen) < 6 and time.monotonic() < end:
    try:
        chat = Chat(sys.argv[1])
        listeners.append(show)
        chat.subscribe("news")
        chat.subscribe("weather")
        while len(seen) < 6:
            text = chat.hear(4)
            seen.add(text)
            for listener in listeners:
                listener(text)
        chat.close()
    except OSError:
        time.sleep(0.2 + random.uniform(0, 0.2 * 2**attempt))
        attempt += 1
