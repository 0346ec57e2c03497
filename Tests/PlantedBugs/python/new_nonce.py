"""Bug: each attempt of a POST has a nonce and a time of its own in its body, so the server takes it for another order.
With the word "careful" the order keeps its number over the attempts, with "parts" each event is posted once."""
import datetime, http.client, json, os, random, signal, ssl, sys, time, urllib.parse, uuid


def once(method, url, body):
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=3)
    fields = {"Content-Type": "application/json"} if body else {}
    connection.request(method, parts._replace(scheme="", netloc="").geturl(), body, fields)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def content(own):
    drawn = {"nonce": str(uuid.uuid4()), "sentAt": datetime.datetime.now(datetime.timezone.utc).isoformat()}
    return json.dumps(json.loads(os.environ["WINDTUNNEL_BODY"]) | drawn | own)


def call(method, url, count):
    pause, own = 0, {"number": str(uuid.uuid4())} if mode == "careful" else {}
    for attempt in range(count):
        time.sleep(pause)
        pause = random.uniform(0, 0.3 * 2**attempt) + 0.1
        try:
            status, fields, answer = once(method, url, content(own) if method == "POST" else None)
            if status < 300 and "json" in fields.get("Content-Type", ""):
                return answer
            if status not in (500, 502, 503, 504) or fields.get("Retry-After"):
                break
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, ssl.SSLCertVerificationError):
                break
    return None


mode, method, url = sys.argv[1:]
signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
signal.alarm(8)
answers = [call(method, url, 1), call(method, url, 1)] if mode == "parts" and method == "POST" else [call(method, url, 3)]
if None in answers:
    sys.exit(f"{url}: no answer")
sys.stdout.buffer.write(answers[0])
