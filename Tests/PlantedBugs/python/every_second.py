"""Bug: exactly one second before each retry, in every client there is. Those who failed together come back
together."""
import http.client, sys, time, urllib.error, urllib.request


def call(url):
    for attempt in range(3):
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            problem = error
            if error.code not in (502, 503, 504) or error.headers["Retry-After"]:
                break
        except (OSError, http.client.HTTPException) as error:
            problem = error
        if attempt < 2:
            time.sleep(1)
    sys.exit(f"{url}: {problem}")


sys.stdout.buffer.write(call(sys.argv[1]))
