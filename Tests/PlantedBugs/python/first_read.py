"""Bug: HTTP by hand: what one recv returns is taken for the whole answer. That holds on a desk; where bytes
come one by one nothing can be made of it."""
import json, socket, sys, urllib.parse

parts = urllib.parse.urlsplit(sys.argv[1])
if parts.scheme != "http":
    sys.exit(f"{sys.argv[1]}: no TLS")
target = parts.path + ("?" + parts.query if parts.query else "")
try:
    with socket.create_connection((parts.hostname, parts.port), timeout=3) as connection:
        connection.sendall(
            f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode()
        )
        head, _, body = connection.recv(1 << 20).partition(b"\r\n\r\n")
        if head.split(b" ")[1] != b"200":
            sys.exit(f"{sys.argv[1]}: {head[:40]}")
        json.loads(body)
        sys.stdout.buffer.write(body)
except (OSError, IndexError, ValueError) as error:
    sys.exit(f"{sys.argv[1]}: {error!r}")
