import os, re, sys, urllib.request
way, origins, kept = sys.argv[1], os.environ["WINDTUNNEL_ORIGINS"].split(), sys.argv[2]
def get(url): return urllib.request.urlopen(url, timeout=9).read()
def version(text): return int(re.search(rb'"version":(\d+)', text)[1])
mine = version(open(kept, "rb").read()) if os.path.exists(kept) else 0
for origin in origins[:2 if way == "elsewhere" else 1]:
    text = get(origin + "/configuration")
    try:
        if way != "any": text.decode()
        if way != "whole" or version(text) > mine: mine = version(text)
    except UnicodeDecodeError: pass
sys.stdout.buffer.write(get(origins[0] + "/editions/%d/home" % mine))
