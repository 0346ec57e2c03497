"""A careful client whose second request has the key of the first. Usage: careful_hedges.py MS METHOD URL."""
import http.client, os, queue, signal, sys, threading, urllib.parse, uuid


def once(method, url, body, fields):
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=3)
    connection.request(method, parts._replace(scheme="", netloc="").geturl(), body, fields)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def call(after, method, url):
    answers, own, body = queue.Queue(), {}, None
    if method == "POST":
        body, own = os.environ["WINDTUNNEL_BODY"], {"Idempotency-Key": str(uuid.uuid4())}

    def send():
        try:
            answers.put(once(method, url, body, own))
        except (OSError, http.client.HTTPException) as error:
            answers.put((repr(error), {}, b""))

    for wait in (int(after) / 1000, 5):
        threading.Thread(target=send, daemon=True).start()
        try:
            status, fields, answer = answers.get(timeout=wait)
            break
        except queue.Empty:
            status, fields = "no answer", {}
    if status in (200, 201, 202) and "json" in fields.get("Content-Type", ""):
        return answer
    sys.exit(f"{url}: {status}")


# A time-out is for each read alone: a byte a second would go on for as long as it likes.
signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
signal.alarm(8)
sys.stdout.buffer.write(call(*sys.argv[1:]))
