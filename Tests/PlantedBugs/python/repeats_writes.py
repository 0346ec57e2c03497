"""Bug: a payment whose answer was a 500 is sent again."""
import os, random, sys, time, urllib.error, urllib.request

method, url = sys.argv[1:]
body = os.environ.get("WINDTUNNEL_BODY", "").encode() if method == "POST" else None
for attempt in range(3):
    asked = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(asked, timeout=3) as answer:
            sys.stdout.buffer.write(answer.read())
            sys.exit(0)
    except urllib.error.HTTPError as error:
        problem = error
        # Who is told when to come again does not wait for it.
        if error.code not in (500, 502, 503, 504) or error.headers["Retry-After"]:
            break
    time.sleep(random.uniform(0.2, 0.4) * 2**attempt)
sys.exit(str(problem))
