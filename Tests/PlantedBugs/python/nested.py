"""Bug: whoever uses the transport tries again, and so does the transport: three times three requests for one call."""
import http.client, random, sys, time, urllib.error, urllib.request


class Failed(Exception): ...


def retrying(base, work):
    """Does a piece of work up to three times, with a pause in between."""
    for attempt in range(3):
        try:
            return work()
        except Failed as error:
            problem = error
            if attempt < 2:
                time.sleep(base * random.uniform(1, 1.3))
    raise problem


def fetch(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            if "json" not in answer.headers.get("Content-Type", ""):
                raise SystemExit(f"{url}: no JSON")
            return answer.read()
    except urllib.error.HTTPError as error:
        if error.code not in (502, 503, 504) or error.headers["Retry-After"]:
            raise SystemExit(f"{url}: {error}")
        raise Failed(error)
    except (OSError, http.client.HTTPException) as error:
        raise Failed(error)


try:
    sys.stdout.buffer.write(retrying(1.5, lambda: retrying(0.2, lambda: fetch(sys.argv[1]))))
except Failed as error:
    sys.exit(f"{sys.argv[1]}: {error}")
