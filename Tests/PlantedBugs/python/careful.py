"""A careful client: it limits connecting, reading, the whole call and the body, repeats idempotent methods alone with
full jitter, keeps to Retry-After, and takes nothing for JSON that is none. Usage: careful.py METHOD URL."""
import email.utils, http.client, os, random, signal, ssl, sys, time, urllib.parse

WHOLE, RETRIES, BODY = 8.0, 3, 1 << 20


def wait_asked(field, own):
    """The wait that a field asks for, where it can be read and is longer than one of our own."""
    try:
        if field.isdigit():
            return max(own, float(field))
        return max(own, email.utils.parsedate_to_datetime(field).timestamp() - time.time() + 1)
    except ValueError:
        return own


def out_of_time(*_):
    raise TimeoutError("the whole call")


def once(method, url, left):
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=max(0.1, min(3.0, left)))
    try:
        body = os.environ.get("WINDTUNNEL_BODY") if method not in ("GET", "HEAD") else None
        target = parts.path + ("?" + parts.query if parts.query else "")
        connection.request(method, target, body, {"Accept": "application/json"})
        answer = connection.getresponse()
        content = answer.read(BODY + 1)
        if len(content) > BODY:
            raise SystemExit(f"{url}: more than {BODY} bytes")
        # A read with a limit does not say that less came than was announced.
        if answer.length:
            raise http.client.IncompleteRead(content, answer.length)
        return answer.status, answer.headers, content
    finally:
        connection.close()


def call(method, url):
    end, problem = time.monotonic() + WHOLE, "no attempt"
    for attempt in range(RETRIES + 1):
        pause = random.uniform(0, 0.3 * 2**attempt) + 0.1
        try:
            status, fields, body = once(method, url, end - time.monotonic())
            if status < 300 and "json" in fields.get("Content-Type", ""):
                return body
            problem = f"status {status}" if status >= 300 else "no JSON"
            if status not in (429, 502, 503, 504):
                break
            if fields.get("Retry-After"):
                pause = wait_asked(fields["Retry-After"], pause)
        except ssl.SSLCertVerificationError as error:
            raise SystemExit(f"{url}: {error}")
        except (OSError, http.client.HTTPException) as error:
            problem = repr(error)
        if method not in ("GET", "HEAD", "PUT", "DELETE") or time.monotonic() + pause > end - 0.5:
            break
        time.sleep(pause)
    raise SystemExit(f"{url}: {problem}")


# A time-out is for each read alone: a byte a second would go on for as long as it likes.
signal.signal(signal.SIGALRM, out_of_time)
signal.setitimer(signal.ITIMER_REAL, WHOLE)
method, url = sys.argv[1:] if len(sys.argv) > 2 else ("GET", sys.argv[1])
try:
    sys.stdout.buffer.write(call(method, url))
finally:
    # On its way out Python would let the alarm end it.
    signal.setitimer(signal.ITIMER_REAL, 0)
