"""Bug: a body is read to its end, wherever that is, and kept in memory."""
import http.client, sys, urllib.error, urllib.request

try:
    with urllib.request.urlopen(sys.argv[1], timeout=3) as answer:
        sys.stdout.buffer.write(answer.read())
except (OSError, http.client.HTTPException) as error:
    raise SystemExit(f"{sys.argv[1]}: {error!r}"[:200])
