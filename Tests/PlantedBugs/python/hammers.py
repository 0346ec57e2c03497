"""Bug: tries six times in a row, as if the first failures had been bad luck."""
import sys, urllib.error, urllib.request

for attempt in range(6):
    try:
        with urllib.request.urlopen(sys.argv[1], timeout=3) as answer:
            sys.stdout.buffer.write(answer.read())
            sys.exit(0)
    except urllib.error.URLError as error:
        problem = error
sys.exit(str(problem))
