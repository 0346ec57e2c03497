"""Bug: unlike urllib, http.client raises nothing for a 503, and nobody looks at the status. The text of the
error is printed as if it were the data."""
import http.client, random, sys, time, urllib.parse


def once(url):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=3)
    try:
        target = parts.path + ("?" + parts.query if parts.query else "")
        connection.request("GET", target, headers={"Accept": "application/json"})
        return connection.getresponse().read()
    finally:
        connection.close()


def call(url):
    for attempt in range(3):
        try:
            return once(url)
        except (OSError, http.client.HTTPException) as error:
            problem = error
        time.sleep(random.uniform(0.1, 0.4) * 2**attempt)
    sys.exit(f"{url}: {problem!r}")


sys.stdout.buffer.write(call(sys.argv[1]))
