"""A careful client of urllib3: its retries have jitter, a bound and idempotent methods alone; connecting,
reading and the whole call have limits. Usage: careful_urllib3.py [METHOD] URL"""
import os, signal, sys, urllib3

WHOLE = 10.0


def out_of_time(*_):
    raise SystemExit("the whole call took too long")


def call(method, url):
    retries = urllib3.Retry(
        total=3,
        redirect=0,
        backoff_factor=0.2,
        backoff_jitter=0.2,
        status_forcelist=(429, 502, 503, 504),
    )
    fields, body = {"Accept": "application/json"}, None
    if method not in ("GET", "HEAD"):
        fields["Content-Type"], body = "application/json", os.environ.get("WINDTUNNEL_BODY")
    http = urllib3.PoolManager(retries=retries, timeout=urllib3.Timeout(connect=2, read=2))
    answer = http.request(method, url, headers=fields, body=body)
    if answer.status >= 300:
        raise SystemExit(f"{url}: status {answer.status}")
    if "json" not in answer.headers.get("Content-Type", ""):
        raise SystemExit(f"{url}: no JSON")
    return answer.data


signal.signal(signal.SIGALRM, out_of_time)
signal.setitimer(signal.ITIMER_REAL, WHOLE)
method, url = sys.argv[1:] if len(sys.argv) > 2 else ("GET", sys.argv[1])
try:
    sys.stdout.buffer.write(call(method, url))
except urllib3.exceptions.HTTPError as error:
    raise SystemExit(f"{url}: {error}")
finally:
    # On its way out Python would let the alarm end it.
    signal.setitimer(signal.ITIMER_REAL, 0)
