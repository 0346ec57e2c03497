"""Bug: each request goes out twice at the same time, without a key, and the first answer counts; careful: with one
key for both. Usage: races.py [careful] METHOD URL."""
import http.client, os, queue, sys, threading, urllib.parse, uuid

method, url = sys.argv[-2:]
parts = urllib.parse.urlsplit(url)
answers, body, fields = queue.Queue(), None, {}
if method == "POST":
    body, fields = os.environ["WINDTUNNEL_BODY"], {"Content-Type": "application/json"}
    if "careful" in sys.argv:
        fields["Idempotency-Key"] = str(uuid.uuid4())


def send():
    try:
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.netloc, timeout=3)
        connection.request(method, parts._replace(scheme="", netloc="").geturl(), body, fields)
        answer = connection.getresponse()
        text = answer.read()
        isFine = answer.status in (200, 201, 202) and "json" in answer.headers.get("Content-Type", "")
        answers.put(text if isFine else answer.status)
    except (OSError, http.client.HTTPException) as error:
        answers.put(repr(error))


for _ in range(2):
    threading.Thread(target=send, daemon=True).start()
said = ["no answer"]
try:
    while len(said) < 3:
        said.append(answers.get(timeout=5))
        if isinstance(said[-1], bytes):
            sys.stdout.buffer.write(said[-1])
            sys.stdout.flush()
            os._exit(0)
except queue.Empty:
    pass
print(url, said[-1], file=sys.stderr, flush=True)
os._exit(1)
