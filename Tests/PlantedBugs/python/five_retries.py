"""Bug: five retries to each call, with pauses that are well drawn. Whoever waits for a server that is down
sends it six times the load that it could not bear."""
import http.client, random, sys, time, urllib.error, urllib.request


def call(url):
    for attempt in range(6):
        try:
            with urllib.request.urlopen(url, timeout=1) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            problem = error
            if error.code not in (502, 503, 504) or error.headers["Retry-After"]:
                break
        except (OSError, http.client.HTTPException) as error:
            problem = error
        if attempt < 5:
            time.sleep(0.3 + 0.1 * attempt + random.uniform(0, 0.2))
    sys.exit(f"{url}: {problem}")


sys.stdout.buffer.write(call(sys.argv[1]))
