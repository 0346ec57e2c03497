"""Drives one Python HTTP library for all calls of a drill: client.py LIBRARY

Each line of standard input is a call, and each line of standard output its result. A library is used at its defaults;
a name with "+" adds the retries of its documentation. The check for success is the library's own.
"""

import io
import json
import os
import sys

# The authority of the run, for libraries that read it from no variable.
authority = os.environ.get("SSL_CERT_FILE")


def urllib_request():
    import urllib.request

    def call(method, url, headers, body):
        with urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method)) as response:
            return response.status, response.read()

    return call


def urllib3(retries=None):
    import urllib3

    pool = urllib3.PoolManager(**({"retries": urllib3.Retry(**retries)} if retries else {}))

    def call(method, url, headers, body):
        response = pool.request(method, url, headers=headers, body=body)
        if not 200 <= response.status < 300:
            raise ValueError(response.status)
        return response.status, response.data

    return call


def urllib3_retry():
    return urllib3({"total": 3, "backoff_factor": 0.5, "status_forcelist": [502, 503, 504]})


def requests(retries=None):
    import requests

    session = requests.Session()
    if retries:
        for scheme in ("http://", "https://"):
            session.mount(scheme, requests.adapters.HTTPAdapter(max_retries=retries))

    def call(method, url, headers, body):
        response = session.request(method, url, headers=headers, data=body)
        response.raise_for_status()
        return response.status_code, response.content

    return call


def requests_retry():
    from urllib3.util import Retry

    methods = {"POST"}
    return requests(Retry(total=3, backoff_factor=0.1, status_forcelist=[502, 503, 504], allowed_methods=methods))


def httpx(**options):
    import httpx

    if "retries" in options:
        client = httpx.Client(transport=httpx.HTTPTransport(**options))
    else:
        client = httpx.Client(**options)

    def call(method, url, headers, body):
        response = client.request(method, url, headers=headers, content=body)
        response.raise_for_status()
        return response.status_code, response.content

    return call


def httpx_transport():
    return httpx(retries=1)


def httpx_retries():
    from httpx_retries import Retry, RetryTransport

    return httpx(transport=RetryTransport(retry=Retry(total=5, backoff_factor=0.5)))


def reading(decorate, call):
    """Retries the requests that the example of a documentation is about: those that read."""
    retried = decorate(call)
    return lambda method, *rest: (retried if method in ("GET", "HEAD") else call)(method, *rest)


def httpx_stamina():
    import httpx as library
    import stamina

    return reading(stamina.retry(on=library.HTTPError, attempts=3), httpx())


def requests_backoff():
    import backoff
    import requests as library

    def fatal(error):
        return error.response is not None and 400 <= error.response.status_code < 500

    failures = library.exceptions.RequestException
    return reading(backoff.on_exception(backoff.expo, failures, max_time=60, giveup=fatal), requests())


def aiohttp(retry=False):
    import asyncio

    import aiohttp as library

    loop = asyncio.new_event_loop()

    async def open_session():
        if retry:
            from aiohttp_retry import ExponentialRetry, RetryClient

            return RetryClient(retry_options=ExponentialRetry(attempts=3), raise_for_status=True)
        return library.ClientSession(raise_for_status=True)

    session = loop.run_until_complete(open_session())

    async def ask(method, url, headers, body):
        async with session.request(method, url, headers=headers, data=body) as response:
            return response.status, await response.read()

    return lambda *request: loop.run_until_complete(ask(*request))


def aiohttp_retry():
    return aiohttp(True)


def niquests(**options):
    import niquests

    session = niquests.Session(**options)

    def call(method, url, headers, body):
        response = session.request(method, url, headers=headers, data=body)
        response.raise_for_status()
        return response.status_code, response.content

    return call


def niquests_retry():
    return niquests(retries=3)


def httplib2():
    import httplib2

    client = httplib2.Http(ca_certs=authority)

    def call(method, url, headers, body):
        response, content = client.request(url, method, body, headers)
        if not 200 <= response.status < 300:
            raise ValueError(response.status)
        return response.status, content

    return call


def pycurl():
    import pycurl

    curl = pycurl.Curl()

    def call(method, url, headers, body):
        content = io.BytesIO()
        curl.reset()
        curl.setopt(curl.URL, url)
        curl.setopt(curl.CUSTOMREQUEST, method)
        curl.setopt(curl.HTTPHEADER, [f"{name}: {value}" for name, value in headers.items()])
        if body is not None:
            curl.setopt(curl.COPYPOSTFIELDS, body)
        curl.setopt(curl.FAILONERROR, True)
        curl.setopt(curl.WRITEDATA, content)
        if authority:
            curl.setopt(curl.CAINFO, authority)
        curl.perform()
        return curl.getinfo(curl.RESPONSE_CODE), content.getvalue()

    return call


def main():
    call = globals()[sys.argv[1].replace("+", "_").replace("-", "_")]()
    for text in sys.stdin:
        line = json.loads(text)
        if "url" not in line:
            continue
        body = line["body"].encode() if line.get("body") else None
        try:
            status, content = call(line["method"], line["url"], line["headers"], body)
            result = {"ok": True, "status": status, "shown": content.decode("utf-8", "replace")}
        except Exception as error:
            result = {"ok": False, "error": repr(error)[:200]}
        print(json.dumps({"call": line["call"]} | result), flush=True)


main()
