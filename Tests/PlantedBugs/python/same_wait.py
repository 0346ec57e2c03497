"""Bug: it waits one second before it connects again, each time and in each client. Usage: same_wait.py URL."""
import json, sys, time
from chat import Chat

seen, end = set(), time.monotonic() + 14
while len(seen) < 6 and time.monotonic() < end:
    try:
        chat = Chat(sys.argv[1])
        chat.subscribe("news")
        chat.subscribe("weather")
        while len(seen) < 6:
            text = chat.hear(4)
            if text not in seen:
                seen.add(text)
                print(json.dumps({"received": text}), flush=True)
        chat.close()
    except OSError:
        time.sleep(1)
