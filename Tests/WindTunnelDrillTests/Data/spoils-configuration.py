import os, sys, urllib.request
kept, found = sys.argv[1], 0
assert kept == os.environ["WINDTUNNEL_KEPT"]
if os.path.exists(kept):
    text = open(kept).read()
    assert "spoilt" not in text
    found = int(text.split('"version":')[1].split(",")[0])
open(kept, "w").write("spoilt")
asked = urllib.request.Request(
    os.environ["WINDTUNNEL_ORIGINS"].split()[1] + "/home",
    headers={"Configuration-Version": str(found)},
)
sys.stdout.buffer.write(urllib.request.urlopen(asked).read())
