"""Bug: of what it is subscribed to it keeps the last alone, and asks for that on the next connection. Usage:
last_topic.py URL."""
import json, random, sys, time
from chat import Chat

seen, attempt, end, kept = set(), 0, time.monotonic() + 14, []
chat = None
while len(seen) < 6 and time.monotonic() < end:
    try:
        if chat is None:
            chat = Chat(sys.argv[1])
            for topic in kept or ["news", "weather"]:
                chat.subscribe(topic)
                kept = [topic]
        text = chat.hear(4, end)
        if text is not None and text not in seen:
            seen.add(text)
            print(json.dumps({"received": text}), flush=True)
    except OSError:
        chat, kept = None, ["weather"]
        time.sleep(0.2 + random.uniform(0, 0.2 * 2**attempt))
        attempt += 1
