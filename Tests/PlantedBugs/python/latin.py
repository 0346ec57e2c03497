"""Bug: the body is decoded as Latin-1 although JSON is UTF-8, and what is printed is no longer what came. With the
word "careful" it is printed in Latin-1, too, so that the bytes are the same."""
import http.client, signal, sys, urllib.parse

mode, url = sys.argv[1:]


def call(url):
    parts = urllib.parse.urlsplit(url)
    kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
    connection = kinds[parts.scheme](parts.netloc, timeout=2)
    connection.request("GET", urllib.parse.urlunsplit(("", "", parts.path, parts.query, "")))
    response = connection.getresponse()
    if response.status != 200 or "json" not in response.headers.get("Content-Type", ""):
        raise OSError(f"status {response.status}")
    text = response.read().decode("latin-1")
    if response.length:
        raise OSError(f"{response.length} bytes are missing")
    return text.encode("latin-1" if mode == "careful" else "utf-8")


signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"{url}: timed out"))
signal.alarm(10)
try:
    sys.stdout.buffer.write(call(url))
except (OSError, http.client.HTTPException, ValueError) as error:
    sys.exit(f"{url}: {error}")
