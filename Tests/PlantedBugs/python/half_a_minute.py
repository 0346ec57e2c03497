"""Bug: a limit there is, of half a minute, as if nobody were waiting for the answer."""
import http.client, random, sys, time, urllib.error, urllib.request


def call(url):
    for attempt in range(3):
        try:
            with urllib.request.urlopen(url, timeout=27) as answer:
                if "json" not in answer.headers.get("Content-Type", ""):
                    sys.exit(f"{url}: no JSON")
                return answer.read()
        except urllib.error.HTTPError as error:
            problem = error
            if error.code not in (502, 503, 504) or error.headers["Retry-After"]:
                break
        except (OSError, http.client.HTTPException) as error:
            problem = error
            if isinstance(getattr(error, "reason", error), TimeoutError):
                break
        if attempt < 2:
            time.sleep(random.uniform(0.1, 0.4) * 2**attempt)
    sys.exit(f"{url}: {problem}")


sys.stdout.buffer.write(call(sys.argv[1]))
