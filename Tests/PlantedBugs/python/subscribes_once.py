"""Bug: it subscribes when it starts, and not again on the next connection. Usage: subscribes_once.py URL."""
import json, random, sys, time
from chat import Chat

seen, attempt, end = set(), 0, time.monotonic() + 14
chat = None
while len(seen) < 6 and time.monotonic() < end:
    try:
        if chat is None:
            chat = Chat(sys.argv[1])
            if attempt == 0:
                chat.subscribe("news")
                chat.subscribe("weather")
        text = chat.hear(4, end)
        if text is not None and text not in seen:
            seen.add(text)
            print(json.dumps({"received": text}), flush=True)
    except OSError:
        chat = None
        time.sleep(0.2 + random.uniform(0, 0.2 * 2**attempt))
        attempt += 1
