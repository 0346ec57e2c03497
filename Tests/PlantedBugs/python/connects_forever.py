"""Bug: the time-out is set on the socket as soon as there is one, which is after it has connected."""
import http.client, random, sys, time, urllib.parse


def once(url):
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "http":
        sys.exit(f"{url}: no TLS")
    connection = http.client.HTTPConnection(parts.hostname, parts.port)
    try:
        connection.connect()
        connection.sock.settimeout(3)
        target = parts.path + ("?" + parts.query if parts.query else "")
        connection.request("GET", target, headers={"Accept": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def call(url):
    for attempt in range(3):
        try:
            status, fields, body = once(url)
            if status == 200 and "json" in fields.get("Content-Type", ""):
                return body
            problem = f"status {status}"
            if status not in (502, 503, 504) or fields.get("Retry-After"):
                break
        except (OSError, http.client.HTTPException) as error:
            problem = error
        if attempt < 2:
            time.sleep(random.uniform(0.1, 0.4) * 2**attempt)
    sys.exit(f"{url}: {problem}")


sys.stdout.buffer.write(call(sys.argv[1]))
