import http.client, os, ssl, sys
from urllib.parse import urlsplit
method, url, field, second = sys.argv[1:5]
for value in (field, second):
    parts = urlsplit(url)
    if parts.scheme == "https":
        context = ssl.create_default_context(cafile=os.environ["WINDTUNNEL_CA"])
        connection = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=20, context=context)
    elif value == "stay":
        sys.exit(1)
    else:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
    name, _, text = value.partition(": ")
    path = parts.path + ("?" + parts.query if parts.query else "")
    connection.request(method, path, headers={name: text} if text else {})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 302:
        break
    url = answer.getheader("Location")
sys.stdout.write(body.decode())
sys.exit(0 if answer.status < 400 else 1)
