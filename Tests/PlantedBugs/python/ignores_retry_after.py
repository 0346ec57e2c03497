"""Bug: backs off by its own clock and never looks at Retry-After."""
import random, sys, time, urllib.error, urllib.request

for attempt in range(4):
    try:
        with urllib.request.urlopen(sys.argv[1], timeout=3) as answer:
            sys.stdout.buffer.write(answer.read())
            sys.exit(0)
    except urllib.error.HTTPError as error:
        if error.code not in (429, 502, 503, 504):
            sys.exit(f"status {error.code}")
    time.sleep(random.uniform(0.1, 0.2) * 2**attempt)
sys.exit("gave up")
