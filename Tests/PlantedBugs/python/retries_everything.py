"""Bug: whatever goes wrong is tried again, a 404 like a 503."""
import http.client, random, sys, time, urllib.error, urllib.request


def call(url):
    for attempt in range(4):
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                return answer.read()
        except (OSError, http.client.HTTPException) as error:
            problem = error
            # When to come again is the one thing that it asks of an error, and it does not wait for that.
            if isinstance(error, urllib.error.HTTPError) and error.headers["Retry-After"]:
                break
        if attempt < 3:
            time.sleep(random.uniform(0.2, 0.4) * 2**attempt)
    sys.exit(f"{url}: {problem}")


sys.stdout.buffer.write(call(sys.argv[1]))
