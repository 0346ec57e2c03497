"""A careful client that posts two events, one after the other and each once, whatever became of the first. With the word
`chunked` their length is not said. Usage: careful_two_events.py plain|chunked METHOD URL."""
import http.client, json, os, signal, sys, urllib.parse


def once(method, url, body, fields):
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=3)
    connection.request(method, parts._replace(scheme="", netloc="").geturl(), body, fields)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


# A time-out is for each read alone: a byte a second would go on for as long as it likes.
signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
signal.alarm(8)
form, method, url = sys.argv[1:]
problem, fields = None, {"Content-Type": "application/json"} if method == "POST" else {}
for number in (1, 2) if method == "POST" else (1,):
    body = None
    if method == "POST":
        body = json.dumps(json.loads(os.environ["WINDTUNNEL_BODY"]) | {"number": number}).encode()
    try:
        status, told, answer = once(method, url, iter([body]) if body and form == "chunked" else body, fields)
        if status >= 300 or "json" not in told.get("Content-Type", ""):
            problem = f"status {status}"
    except (OSError, http.client.HTTPException) as error:
        problem = repr(error)
if problem:
    sys.exit(f"{url}: {problem}")
sys.stdout.buffer.write(answer)
