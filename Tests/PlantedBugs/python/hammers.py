"""Bug: tries six times in a row, as if the first failures had been bad luck."""
import http.client, sys, urllib.error, urllib.request


def call(url):
    for attempt in range(6):
        try:
            with urllib.request.urlopen(url, timeout=3) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            problem = error
            if error.code not in (502, 503, 504) or error.headers["Retry-After"]:
                break
        except (OSError, http.client.HTTPException) as error:
            problem = error
    sys.exit(f"{url}: {problem}")


sys.stdout.buffer.write(call(sys.argv[1]))
