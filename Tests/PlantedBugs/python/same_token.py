"""Bug: a 401 is tried again, with the very token that was refused."""
import http.client, random, sys, time, urllib.error, urllib.request


def call(url):
    for attempt in range(3):
        try:
            asked = urllib.request.Request(url, headers={"Accept": "application/json"})
            # Other fields go to whatever host a redirect leads to.
            asked.add_unredirected_header("Authorization", "Bearer planted-4711")
            with urllib.request.urlopen(asked, timeout=2) as answer:
                if "json" not in answer.headers.get("Content-Type", ""):
                    sys.exit(f"{url}: no JSON")
                return answer.read()
        except urllib.error.HTTPError as error:
            problem = error
            if error.code not in (401, 502, 503, 504) or error.headers["Retry-After"]:
                break
        except (OSError, http.client.HTTPException) as error:
            problem = error
        if attempt < 2:
            time.sleep(random.uniform(0.1, 0.4) * 2**attempt)
    sys.exit(f"{url}: {problem}")


sys.stdout.buffer.write(call(sys.argv[1]))
