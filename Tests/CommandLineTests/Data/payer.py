import sys, time, urllib.request, urllib.error, uuid
method, url, stays = sys.argv[1], sys.argv[2], sys.argv[3] == "stays"
body = b"{}" if method == "POST" else None
key = uuid.uuid4()
for attempt in range(3):
    headers = {"Idempotency-Key": str(key if stays else uuid.uuid4()),
               "Content-Type": "application/json"}
    request = urllib.request.Request(url, body, headers, method=method)
    try:
        print(urllib.request.urlopen(request, timeout=20).read().decode())
        sys.exit(0)
    except Exception:
        time.sleep(0.3)
sys.exit(1)
