"""Bug: the limit to a body counts what comes, and nobody counts what a gzip opens to."""
import gzip, http.client, sys, urllib.error, urllib.request

LIMIT = 1 << 20

try:
    request = urllib.request.Request(sys.argv[1], headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=3) as answer:
        body = answer.read(LIMIT + 1)
        if len(body) > LIMIT:
            raise SystemExit(f"{sys.argv[1]}: more than {LIMIT} bytes")
        if answer.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        sys.stdout.buffer.write(body)
except (OSError, http.client.HTTPException) as error:
    raise SystemExit(f"{sys.argv[1]}: {error!r}"[:200])
