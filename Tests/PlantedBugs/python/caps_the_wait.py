"""Bug: the wait that a server asks for is cut down to one second, so that nobody waits long. The server is
asked again before it can be well."""
import email.utils, http.client, random, sys, time, urllib.error, urllib.request

LONGEST = 1.0


def asked(field):
    if not field:
        return 0
    if field.isdigit():
        return float(field)
    return email.utils.parsedate_to_datetime(field).timestamp() - time.time() + 1


def call(url):
    for attempt in range(3):
        pause = random.uniform(0.1, 0.4) * 2**attempt
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            problem = error
            if error.code not in (502, 503, 504):
                break
            pause = max(pause, min(asked(error.headers["Retry-After"]), LONGEST))
        except (OSError, http.client.HTTPException) as error:
            problem = error
        if attempt < 2:
            time.sleep(pause)
    sys.exit(f"{url}: {problem}")


sys.stdout.buffer.write(call(sys.argv[1]))
