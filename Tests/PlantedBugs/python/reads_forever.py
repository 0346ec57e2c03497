"""Bug: connecting has a limit, reading has none: `settimeout(None)` was meant for a slow server."""
import http.client, random, sys, time, urllib.parse


def once(url):
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=3)
    try:
        connection.connect()
        connection.sock.settimeout(None)
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
