"""Bug: the answer's fields are looked up as the documents spell them. A proxy that speaks HTTP/2 to its server
sends them in small letters, and then no length is found."""
import socket, sys, urllib.parse


def call(url):
    place = urllib.parse.urlsplit(url)
    if place.scheme != "http":
        sys.exit(f"{url}: only http is spoken here")
    target = place.path + (f"?{place.query}" if place.query else "")
    with socket.create_connection((place.hostname, place.port), timeout=2) as connection:
        request = f"GET {target} HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        with connection.makefile("rb") as answer:
            status, fields = 100, {}
            while status < 200:
                status = int(answer.readline().split()[1])
                fields = dict(line.rstrip().split(b": ", 1) for line in iter(answer.readline, b"\r\n"))
            if status != 200:
                sys.exit(f"{url}: status {status}")
            length = int(fields[b"Content-Length"])
            content = answer.read(length)
            if len(content) < length:
                sys.exit(f"{url}: {len(content)} of {length} bytes came")
            return content


try:
    sys.stdout.buffer.write(call(sys.argv[1]))
except (OSError, ValueError, IndexError, KeyError) as problem:
    sys.exit(f"{sys.argv[1]}: {problem!r}")
