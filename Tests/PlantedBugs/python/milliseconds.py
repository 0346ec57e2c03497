"""Bug: Retry-After counts in seconds, and this client takes it for milliseconds like every other time in its
settings. A server that asks for a second is asked again after the client's own, shorter back-off."""
import email.utils, http.client, random, sys, time, urllib.error, urllib.request

RETRIES, WHOLE_MS, ATTEMPT_MS, BASE_MS = 3, 8000, 3000, 200


def asked_ms(field):
    try:
        return float(field)
    except (TypeError, ValueError):
        pass
    try:
        date = email.utils.parsedate_to_datetime(field)
    except (TypeError, ValueError):
        return 0
    return (date.timestamp() - time.time() + 1) * 1000


def load(url):
    end = time.monotonic() + WHOLE_MS / 1000
    for attempt in range(RETRIES + 1):
        pause = 100 + random.uniform(0, BASE_MS * 2**attempt)
        try:
            with urllib.request.urlopen(url, timeout=ATTEMPT_MS / 1000) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            problem = error
            if error.code not in (429, 502, 503, 504):
                break
            pause = max(pause, asked_ms(error.headers["Retry-After"]))
        except (OSError, http.client.HTTPException) as error:
            problem = error
        if attempt == RETRIES or time.monotonic() + pause / 1000 > end:
            break
        time.sleep(pause / 1000)
    sys.exit(f"{url}: {problem}")


sys.stdout.buffer.write(load(sys.argv[1]))
