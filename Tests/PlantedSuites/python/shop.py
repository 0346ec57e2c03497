"""A client of a shop with some habits that tests should see, and some that they may not."""
import json
import os
import threading
import urllib.error
import urllib.request

URL = os.environ.get("WINDTUNNEL_URL", "https://shop.example.test")
RATES = {}


class Refused(Exception):
    pass


def response(path, method="GET", value=None):
    """Returns the response of any status, with its body."""
    body = None if value is None else json.dumps(value).encode()
    head = {"Content-Type": "application/json"} if body else {}
    request = urllib.request.Request(URL + path, body, head, method=method)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error, error.read()


def text(path):
    """Returns the body of any status."""
    return response(path)[1].decode()


def get(path):
    answer, body = response(path)
    if answer.status >= 400:
        raise Refused(answer.status)
    return json.loads(body)


def get_or(path, default):
    try:
        return get(path)
    except Exception:
        return default


def post(path, value, status=201):
    answer, body = response(path, "POST", value)
    if answer.status != status:
        raise Refused(answer.status)
    return json.loads(body)


def rates():
    if not RATES:
        RATES.update(get("/rates"))
    return RATES


def feed():
    answer, body = response("/feed")
    if answer.status == 503:
        answer, body = response("/feed")
    if answer.status != 200:
        raise Refused(answer.status)
    return json.loads(body)["posts"]


class Telemetry:
    """Sends events from a thread; a failure is nobody's concern."""

    def send(self, event):
        self.thread = threading.Thread(target=get_quietly, args=({"event": event},))
        self.thread.start()

    def close(self):
        self.thread.join()


def get_quietly(value):
    try:
        post("/telemetry", value, 202)
    except Exception:
        pass
