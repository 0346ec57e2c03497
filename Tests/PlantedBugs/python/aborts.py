"""Bug: an answer that it does not expect is an assertion, and that ends the process."""
import os, sys, urllib.error, urllib.request

try:
    with urllib.request.urlopen(sys.argv[1], timeout=3) as answer:
        sys.stdout.buffer.write(answer.read())
except urllib.error.HTTPError as error:
    if error.code == 503:
        os.abort()
    sys.exit(1)
