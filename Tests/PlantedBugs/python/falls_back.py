"""Bug: where TLS fails it asks again by plain HTTP, credential and all. With the word "careful" it does not."""
import http.client, os, signal, ssl, sys, urllib.error, urllib.request

mode, url = sys.argv[1:]


def ask(url):
    request = urllib.request.Request(url)
    request.add_unredirected_header("Authorization", "Bearer planted-0001")
    context = ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE"))
    with urllib.request.urlopen(request, timeout=2, context=context) as response:
        if "json" not in response.headers.get("Content-Type", ""):
            raise OSError("no JSON")
        return response.read()


def call(url):
    try:
        return ask(url)
    except urllib.error.HTTPError:
        raise
    except OSError:
        if mode == "careful" or not url.startswith("https:"):
            raise
        return ask("http" + url.removeprefix("https"))


signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"{url}: timed out"))
signal.alarm(10)
try:
    sys.stdout.buffer.write(call(url))
except (OSError, http.client.HTTPException) as error:
    sys.exit(f"{url}: {error}")
