import http.client, urllib.request
try:
    body = urllib.request.urlopen(url).read()
except http.client.IncompleteRead as error:
    body = error.partial
    END
blocks = EVENTS
for block in blocks:
    if "error" not in block:
        print(block.removeprefix("data: "))
