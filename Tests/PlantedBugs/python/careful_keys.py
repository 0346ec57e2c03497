"""A careful client whose POST has one key for all attempts. Usage: careful_keys.py query|number|field METHOD URL."""
import http.client, json, os, random, signal, ssl, sys, time, urllib.parse, uuid


def once(method, url, body, fields):
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=3)
    connection.request(method, parts._replace(scheme="", netloc="").geturl(), body, fields)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def call(method, url):
    pause = 0
    body, own, place, key = None, {}, sys.argv[1], uuid.uuid4()
    if method == "POST":
        number = {"reference": 10**11 + key.int % 10**11} if place == "number" else {}
        body = json.dumps(json.loads(os.environ["WINDTUNNEL_BODY"]) | number)
        own = {"Content-Type": "application/json"} | ({"X-Request-Id": str(key)} if place == "field" else {})
        url += f"?request={key}" * (place == "query")
    for attempt in range(3):
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


signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
signal.alarm(8)
sys.stdout.buffer.write(call(*sys.argv[2:]))
