import sys, time, urllib.request, urllib.error
opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": sys.argv[1]}))
def ask(url, data=None, headers={}, seconds=20):
    try:
        request = urllib.request.Request(url, data=data, headers=headers)
        return opener.open(request, timeout=seconds).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0
