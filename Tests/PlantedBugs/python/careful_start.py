"""A careful start: the first server that says what it must at its probe, within a second, is asked for the page, and the
page has to be JSON. It takes no configuration. Usage: careful_start.py ORIGINS, the nearest first."""
import http.client, sys, urllib.request

PROBE = b"pong 7f3a91c25e08d46b"


def get(url, limit):
    with urllib.request.urlopen(url, timeout=limit) as answer:
        return answer.headers.get("Content-Type", ""), answer.read(1 << 20)


for origin in sys.argv[1].split():
    try:
        if get(origin + "/probe", 1)[1] != PROBE:
            continue
        kind, page = get(origin + "/home", 4)
    except (OSError, http.client.HTTPException):
        continue
    if "json" in kind:
        sys.stdout.buffer.write(page)
        sys.exit(0)
sys.exit("no server says what it must")
