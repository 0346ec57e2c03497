import json, re, sys, urllib.request
def version(text): return re.search(rb'"version":(\d+)', text)[1].decode()
for text in sys.stdin:
    line = json.loads(text)
    mine = version(open(line["kept"], "rb").read())
    got = urllib.request.urlopen(line["origins"][0] + "/configuration").read()
    if sys.argv[1] == "true": mine = version(got)
    asked = urllib.request.Request(line["url"], headers={"configuration-version": " " + mine})
    shown = urllib.request.urlopen(asked).read().decode()
    print(json.dumps({"call": line["call"], "ok": True, "shown": shown}), flush=True)
