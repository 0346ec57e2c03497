import sys, urllib.request
def get(url): return urllib.request.urlopen(url, timeout=5).read()
for origin in sys.argv[1].split():
    for _ in range(2):
        try:
            get(origin + "/probe")
        except OSError:
            pass
sys.stdout.buffer.write(get(sys.argv[1].split()[0] + "/home"))
