"""Bug: its key stays over the attempts, but the body is a file that the first one has read to its end."""
import http.client, io, os, random, signal, ssl, sys, time, urllib.parse, uuid


def once(method, url, body, fields):
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=3)
    connection.request(method, parts._replace(scheme="", netloc="").geturl(), body, fields)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def call(method, url):
    end, pause = time.monotonic() + 7, 0
    own = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())} if method == "POST" else {}
    body = io.BytesIO(os.environ["WINDTUNNEL_BODY"].encode()) if method == "POST" else None
    for attempt in range(3):
        if time.monotonic() + pause > end:
            break
        time.sleep(pause)
        pause = random.uniform(0, 0.3 * 2**attempt) + 0.1
        try:
            status, fields, answer = once(method, url, body, own)
            if status < 300 and "json" in fields.get("Content-Type", ""):
                return answer
            if status not in (500, 502, 503, 504) or fields.get("Retry-After"):
                break
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, ssl.SSLCertVerificationError):
                break
    sys.exit(f"{url}: no answer")


# A time-out is for each read alone: a byte a second would go on for as long as it likes.
signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
signal.alarm(8)
sys.stdout.buffer.write(call(*sys.argv[1:]))
