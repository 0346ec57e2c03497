"""Bug: every error is caught and logged, and the program ends as if all were well."""
import logging, sys, urllib.request

try:
    with urllib.request.urlopen(sys.argv[1], timeout=3) as answer:
        sys.stdout.buffer.write(answer.read())
except Exception as error:
    logging.warning("could not load: %s", error)
