"""Bug: a 200 is a 200 to it. It asks for JSON and does not look at what kind of answer came, nor from which
place, so the log-in page of a hotel passes for the data."""
import http.client, random, sys, time, urllib.error, urllib.request


def call(url):
    request = urllib.request.Request(url, headers={"Accept": "application/json"})
    for attempt in range(3):
        try:
            with urllib.request.urlopen(request, timeout=3) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            problem = error
            if error.code not in (502, 503, 504) or error.headers["Retry-After"]:
                break
        except (OSError, http.client.HTTPException) as error:
            problem = error
        time.sleep(random.uniform(0.1, 0.4) * 2**attempt)
    sys.exit(f"{url}: {problem}")


sys.stdout.buffer.write(call(sys.argv[1]))
