"""Bug: whatever answer has a Location is followed, and nobody counts."""
import http.client, random, sys, time, urllib.parse


def once(url):
    while True:
        parts = urllib.parse.urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname, parts.port, timeout=3)
        try:
            target = parts.path + ("?" + parts.query if parts.query else "")
            connection.request("GET", target, headers={"Accept": "application/json"})
            answer = connection.getresponse()
            if answer.status not in (301, 302, 303, 307, 308):
                return answer.status, answer.headers, answer.read()
            url = urllib.parse.urljoin(url, answer.headers["Location"])
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
