"""Bug: the lock is given back on the line after the request, and an exception skips that line. The retry
waits for a lock that nobody will ever give back."""
import http.client, random, sys, threading, time, urllib.error, urllib.request


class Loader:
    def __init__(self):
        self.lock = threading.Lock()
        self.kept = {}

    def load(self, url):
        self.lock.acquire()
        if url not in self.kept:
            with urllib.request.urlopen(url, timeout=3) as answer:
                self.kept[url] = answer.read()
        self.lock.release()
        return self.kept[url]


def call(url):
    loader = Loader()
    for attempt in range(3):
        try:
            return loader.load(url)
        except urllib.error.HTTPError as error:
            problem = error
            if error.code not in (502, 503, 504):
                break
        except (OSError, http.client.HTTPException) as error:
            problem = error
        time.sleep(random.uniform(0.1, 0.3) * 2**attempt)
    sys.exit(f"{url}: {problem}")


sys.stdout.buffer.write(call(sys.argv[1]))
