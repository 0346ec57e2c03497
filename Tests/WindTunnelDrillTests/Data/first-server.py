import os, sys, urllib.request
def get(url): return urllib.request.urlopen(url, timeout=1).read()
assert os.environ["WINDTUNNEL_ORIGINS"] == sys.argv[1]
for origin in sys.argv[1].split():
    try:
        if get(origin + "/probe").startswith(b"pong "): break
    except OSError:
        pass
sys.stdout.buffer.write(get(origin + "/home"))
