"""Bug: where a redirect leads to the same host the fields go along, by whatever scheme: Authorization is sent in
the clear."""
import http.client, random, sys, time, urllib.error, urllib.request
from urllib.parse import urlsplit


class Following(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, request, file, code, message, headers, place):
        following = super().redirect_request(request, file, code, message, headers, place)
        if following and urlsplit(place).hostname != urlsplit(request.full_url).hostname:
            following.remove_header("Authorization")
        return following


opener = urllib.request.build_opener(Following)


def call(url):
    fields = {"Accept": "application/json", "Authorization": "Bearer planted-4711"}
    for attempt in range(3):
        try:
            with opener.open(urllib.request.Request(url, headers=fields), timeout=2) as answer:
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
