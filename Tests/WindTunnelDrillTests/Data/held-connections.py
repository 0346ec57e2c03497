import http.client, urllib.parse
held = []
for line in lines:
    url = urllib.parse.urlsplit(line["url"])
    held.append(http.client.HTTPConnection(url.hostname, url.port))
    held[-1].request("GET", url.path)
    held[-1].getresponse().read()
    if line["call"] > 1: held.pop().close()
    say(line["call"])
