"""Three attempts of eleven seconds each: no wait is long, and the user waits for half a minute."""
import sys, time, urllib.request

for attempt in range(3):
    try:
        with urllib.request.urlopen(sys.argv[1], timeout=11) as got:
            print(got.read().decode())
            sys.exit(0)
    except OSError:
        time.sleep(0.1 * 2**attempt)
sys.exit(1)
