"""Bug: whatever goes wrong is tried again, a 404 like a 503."""
import random, sys, time, urllib.error, urllib.request

for attempt in range(4):
    try:
        with urllib.request.urlopen(sys.argv[1], timeout=3) as answer:
            sys.stdout.buffer.write(answer.read())
            sys.exit(0)
    except urllib.error.URLError as error:
        problem = error
        time.sleep(random.uniform(0.2, 0.4) * 2**attempt)
sys.exit(str(problem))
