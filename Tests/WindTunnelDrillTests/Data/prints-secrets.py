"""Prints secrets wherever a program can: on standard error, in its errors, in what it shows, in lines that are no answers
and in its exit sentence. It is started once, or for each call with {url}. Arguments: user:password [METHOD URL]."""
import http.client, json, os, sys, urllib.request

KEY = "ghp_" + "q7Rz2LxN9vTb4KwY6mHc8JdF1sGp3AeU5oXi"
WORDS = "Authorization: Bearer hunterzwei-in-a-header, https://ada:hunterdrei-in-an-address@api.test/ and " + KEY
RED = "\x1b[31mred\x1b[0m"


def ask(url):
    with urllib.request.urlopen(urllib.request.Request(url, headers={"X-Login": sys.argv[1]}), timeout=5) as answer:
        return answer.read()


if len(sys.argv) > 2:
    print(RED + "\n" + WORDS, file=sys.stderr)
    try:
        ask(sys.argv[3])
    except (OSError, http.client.HTTPException):
        pass
    if int(os.environ["WINDTUNNEL_CALL"]) % 2:
        print(WORDS + " " + sys.argv[1])
        sys.exit(0)
    sys.exit(WORDS + " " + sys.argv[1])

for line in sys.stdin:
    call = json.loads(line)
    print(RED + "\n" + WORDS, file=sys.stderr, flush=True)
    print(RED + WORDS, flush=True)
    try:
        ask(call["url"])
        if call["call"] % 3 == 0:
            answer = {"ok": False, "error": WORDS + RED + " " + sys.argv[1]}
        elif call["call"] % 3 == 1:
            answer = {"ok": True, "shown": WORDS + " " + sys.argv[1]}
        else:
            answer = {"ok": True, "attempts": WORDS}
    except (OSError, http.client.HTTPException) as error:
        answer = {"ok": False, "error": "%s after %s %s" % (error, WORDS, sys.argv[1])}
    print(json.dumps({"call": call["call"]} | answer), flush=True)
sys.exit(RED + WORDS)
