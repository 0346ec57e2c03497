import http.client, sys
from urllib.parse import urlsplit
method, url, first, second = sys.argv[1:5]
for field in (first, second):
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
    headers = {"Authorization": field} if field != "-" else {}
    path = parts.path + ("?" + parts.query if parts.query else "")
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 302:
        break
    url = answer.getheader("Location")
sys.stdout.write(body.decode())
sys.exit(0 if answer.status < 400 else 1)
