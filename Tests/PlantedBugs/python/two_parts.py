"""Shows the page that it is asked for together with the other one. Bugs, by its first word: "parts" leaves out what
failed; "dates" reads Retry-After as a number, whatever it is. "careful" has none."""
import email.utils, http.client, json, random, signal, sys, time, urllib.error, urllib.parse, urllib.request

mode, url = sys.argv[1:]


def wait(fields, attempt):
    value = fields.get("Retry-After") if fields else None
    if value is None:
        return random.uniform(0.1, 0.4) * 2**attempt
    if mode == "dates" or value.isdigit():
        return int(value)
    return max(0, email.utils.parsedate_to_datetime(value).timestamp() - time.time()) + 0.1


def ask(url):
    for attempt in range(3):
        fields = None
        try:
            with urllib.request.urlopen(url, timeout=2) as response:
                if "json" not in response.headers.get("Content-Type", ""):
                    raise OSError("no JSON")
                return json.load(response)
        except urllib.error.HTTPError as error:
            problem, fields = error, error.headers
            if error.code not in (429, 502, 503, 504):
                break
        except (OSError, http.client.HTTPException, ValueError) as error:
            problem = error
        if attempt < 2:
            time.sleep(wait(fields, attempt))
    raise OSError(f"{url}: {problem}")


def part(url):
    try:
        return ask(url)
    except OSError:
        if mode != "parts":
            raise
        return {}


signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"{url}: timed out"))
signal.alarm(10)
try:
    whole = {"page": ask(url)}
    if mode != "dates":
        path = "home" if "recommendations" in url else "recommendations?user=7"
        whole["more"] = part(urllib.parse.urljoin(url, path))
    print(json.dumps(whole))
except (OSError, ValueError) as error:
    sys.exit(str(error))
