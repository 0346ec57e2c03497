"""Bug: a server that answers its probe is a good one, whatever it says there. Another's, which answers everything, is
taken for the nearest."""
import http.client, sys, urllib.request


def get(url, limit):
    with urllib.request.urlopen(url, timeout=limit) as answer:
        return answer.read(1 << 20)


for origin in sys.argv[1].split():
    try:
        get(origin + "/probe", 1)
        page = get(origin + "/home", 4)
    except (OSError, http.client.HTTPException):
        continue
    sys.stdout.buffer.write(page)
    sys.exit(0)
sys.exit("no server answers")
