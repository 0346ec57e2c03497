"""Bug: two layers retry, and neither knows of the other: the transport makes four attempts, and whoever uses
it makes four of those. Sixteen requests go out for one call."""
import http.client, random, sys, time, urllib.error, urllib.request


class Failed(Exception): ...


def retrying(times, base, work):
    """Runs a piece of work again when it failed in a way that may pass, after longer and longer pauses."""
    for attempt in range(times):
        try:
            return work()
        except Failed as error:
            problem = error
            if attempt + 1 < times:
                time.sleep(base * 1.3**attempt + random.uniform(0, 0.1))
    raise problem


def fetch(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        if error.code not in (502, 503, 504) or error.headers["Retry-After"]:
            raise SystemExit(f"{url}: {error}")
        raise Failed(error)
    except (OSError, http.client.HTTPException) as error:
        raise Failed(error)


def transport(url):
    return retrying(4, 0.25, lambda: fetch(url))


try:
    sys.stdout.buffer.write(retrying(4, 0.3, lambda: transport(sys.argv[1])))
except Failed as error:
    sys.exit(f"{sys.argv[1]}: {error}")
