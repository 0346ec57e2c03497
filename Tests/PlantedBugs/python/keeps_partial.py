"""Bug: a body that breaks off is kept as far as it came."""
import http.client, sys, urllib.request

with urllib.request.urlopen(sys.argv[1], timeout=3) as answer:
    try:
        body = answer.read()
    except http.client.IncompleteRead as error:
        body = error.partial
sys.stdout.buffer.write(body)
