"""Bug: each piece of a body is decoded by itself, so that a letter of several bytes may lie in two of them. With the
word "careful" the bytes are joined first."""
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
    pieces = list(iter(lambda: response.read1(1024), b""))
    if response.length:
        raise OSError(f"{response.length} bytes are missing")
    if mode == "careful":
        return b"".join(pieces).decode()
    return "".join(piece.decode(errors="replace") for piece in pieces)


signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"{url}: timed out"))
signal.alarm(10)
try:
    sys.stdout.buffer.write(call(url).encode())
except (OSError, http.client.HTTPException, ValueError) as error:
    sys.exit(f"{url}: {error}")
