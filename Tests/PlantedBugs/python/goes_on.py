"""Bug: a download that broke off goes on where it broke off, whichever version of it is there by then."""
import http.client, random, sys, time, urllib.request

url, body = sys.argv[1], b""
for attempt in range(3):
    request = urllib.request.Request(url, headers={"Range": f"bytes={len(body)}-"} if body else {})
    try:
        with urllib.request.urlopen(request, timeout=3) as answer:
            if answer.status != 206:
                body = b""
            body += answer.read()
        break
    except http.client.IncompleteRead as error:
        body += error.partial
        time.sleep(0.1 + random.uniform(0, 0.3))
else:
    raise SystemExit(f"{url}: broke off each time")
sys.stdout.buffer.write(body)
