import json, os, sys, urllib.request
way, near = sys.argv[1], os.environ["WINDTUNNEL_ORIGINS"].split()[0]
def get(url): return urllib.request.urlopen(url, timeout=9).read()
if way != "unprobed": get(near + "/probe")
page = json.loads(get(near + "/home"))
if way == "refuses": sys.exit(1)
print({
    "unprobed": json.dumps(page, indent=2), "spread": json.dumps(page, indent=2),
    "within": json.dumps({"page": page}), "as text": json.dumps({"page": json.dumps(page)}),
    "own words": "Two offers today.",
}[way])
