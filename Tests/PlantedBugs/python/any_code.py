"""Bug: every close is one to come back from, also one that says that the client is at fault. Usage: any_code.py URL."""
import json, random, sys, time
from chat import Chat

seen, attempt, end = set(), 0, time.monotonic() + 8
while len(seen) < 6:
    if time.monotonic() > end:
        raise SystemExit("the whole call")
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
        time.sleep(0.2 + random.uniform(0, 0.2 * 2 ** min(attempt, 4)))
        attempt += 1
