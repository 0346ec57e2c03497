"""Bug: no time-out, which is what urllib does by default."""
import sys, urllib.request

with urllib.request.urlopen(sys.argv[1]) as answer:
    sys.stdout.buffer.write(answer.read())
