"""Bug: the Idempotency-Key is made where the request is made, so each attempt has a new one and the server
takes it for another payment."""
import http.client, os, random, sys, time, urllib.error, urllib.request, uuid

method, url = sys.argv[1:]
body = os.environ.get("WINDTUNNEL_BODY", "").encode() if method == "POST" else None


def once():
    fields = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    asked = urllib.request.Request(url, body, fields if body is not None else {}, method=method)
    with urllib.request.urlopen(asked, timeout=3) as answer:
        return answer.read()


for attempt in range(3):
    try:
        sys.stdout.buffer.write(once())
        sys.exit(0)
    except urllib.error.HTTPError as error:
        problem = error
        if error.code not in (500, 502, 503, 504) or error.headers["Retry-After"]:
            break
    except (OSError, http.client.HTTPException) as error:
        problem = error
    time.sleep(random.uniform(0.2, 0.4) * 2**attempt)
sys.exit(f"{url}: {problem}")
