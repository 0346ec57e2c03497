"""A careful client that takes up a body where it broke off: it asks for the rest with If-Range and a strong tag, puts
nothing behind the beginning but the rest of the same version, and begins anew otherwise. Usage: careful_resumes.py URL."""
import http.client, random, signal, ssl, sys, time, urllib.parse

WHOLE, RETRIES, BODY = 8.0, 3, 1 << 20


def out_of_time(*_):
    raise TimeoutError("the whole call")


def once(url, left, kept):
    """The status, fields and body of an answer, and the problem with it; `kept` is a beginning and its tag."""
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=max(0.1, min(3.0, left)))
    (beginning, tag), problem = kept, None
    fields = {"Accept": "application/json"}
    if beginning:
        fields |= {"Range": f"bytes={len(beginning)}-", "If-Range": tag}
    try:
        connection.request("GET", parts.path + ("?" + parts.query if parts.query else ""), None, fields)
        answer = connection.getresponse()
        body, rest = bytearray(), answer.headers.get("Content-Range", "")
        if answer.status == 206:
            if not rest.startswith(f"bytes {len(beginning)}-") or answer.headers.get("ETag") != tag:
                return 206, answer.headers, b"", "a part of something else"
            body += beginning
        try:
            while len(body) <= BODY and (piece := answer.read1(1 << 16)):
                body += piece
        except (OSError, http.client.HTTPException) as error:
            problem = repr(error)
        if answer.length:
            problem = problem or f"{answer.length} bytes are missing"
        if len(body) > BODY:
            raise SystemExit(f"{url}: more than {BODY} bytes")
        return answer.status, answer.headers, bytes(body), problem
    finally:
        connection.close()


def call(url):
    end, kept, problem = time.monotonic() + WHOLE, (b"", ""), "no attempt"
    for attempt in range(RETRIES + 1):
        pause = random.uniform(0, 0.3 * 2**attempt) + 0.1
        try:
            status, fields, body, problem = once(url, end - time.monotonic(), kept)
            tag = fields.get("ETag", "")
            strong = status in (200, 206) and body and tag.startswith('"')
            kept = (body, tag) if problem and strong else (b"", "")
            if not problem and status < 300 and "json" in fields.get("Content-Type", ""):
                return body
            if not problem and status not in (416, 429, 502, 503, 504):
                problem = f"status {status}"
                break
            problem = problem or f"status {status}"
            asked = fields.get("Retry-After", "")
            if asked and not asked.isdigit():
                break
            pause = max(pause, float(asked or 0))
        except ssl.SSLCertVerificationError as error:
            raise SystemExit(f"{url}: {error}")
        except (OSError, http.client.HTTPException) as error:
            problem = repr(error)
        if time.monotonic() + pause > end - 0.5:
            break
        time.sleep(pause)
    raise SystemExit(f"{url}: {problem}")


# A time-out is for each read alone: a byte a second would go on for as long as it likes.
signal.signal(signal.SIGALRM, out_of_time)
signal.setitimer(signal.ITIMER_REAL, WHOLE)
try:
    sys.stdout.buffer.write(call(sys.argv[1]))
finally:
    # On its way out Python would let the alarm end it.
    signal.setitimer(signal.ITIMER_REAL, 0)
