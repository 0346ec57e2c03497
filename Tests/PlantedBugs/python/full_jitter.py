"""A careful client with full jitter: its three waits are drawn from zero to a bound. Usage: full_jitter.py URL."""
import http.client, os, random, signal, ssl, sys, time, urllib.parse


def once(method, url, body, fields):
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=3)
    connection.request(method, parts._replace(scheme="", netloc="").geturl(), body, fields)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def call(url):
    end, pause = time.monotonic() + 7, 0
    for attempt in range(4):
        if time.monotonic() + pause > end:
            break
        time.sleep(pause)
        pause = random.uniform(0, 0.3 * 2**attempt)
        try:
            status, fields, body = once("GET", url, None, {})
            if status < 300 and "json" in fields.get("Content-Type", ""):
                return body
            if status not in (429, 502, 503, 504) or fields.get("Retry-After"):
                break
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, ssl.SSLCertVerificationError):
                break
    sys.exit(f"{url}: no answer")


# A time-out is for each read alone: a byte a second would go on for as long as it likes.
signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
signal.alarm(8)
sys.stdout.buffer.write(call(sys.argv[1]))
