"""Bug: the key goes into the query, where every log and every proxy on the way keeps it."""
import http.client, random, sys, time, urllib.error, urllib.parse, urllib.request

KEY = "planted-4711-5bd0c2c1a9f94c36"


def call(url):
    asked = url + ("&" if "?" in url else "?") + urllib.parse.urlencode({"api_key": KEY})
    for attempt in range(3):
        try:
            with urllib.request.urlopen(asked, timeout=2) as answer:
                if "json" not in answer.headers.get("Content-Type", ""):
                    sys.exit(f"{url}: no JSON")
                return answer.read()
        except urllib.error.HTTPError as error:
            problem = error
            if error.code not in (502, 503, 504) or error.headers["Retry-After"]:
                break
        except (OSError, http.client.HTTPException) as error:
            problem = error
        if attempt < 2:
            time.sleep(random.uniform(0.1, 0.4) * 2**attempt)
    sys.exit(f"{url}: {problem}")


sys.stdout.buffer.write(call(sys.argv[1]))
