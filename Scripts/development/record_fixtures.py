"""The origin, the client and the judge of Scripts/record-fixtures.

  ask BASE FILE [--host NAME]   asks everything below of a server and keeps what it answers
  check FOLDER                  compares the answers, and looks through the cassette
  origin                        httpbin as a WSGI application
"""

import argparse
import base64
import http.client
import json
import re
import sys
import urllib.parse
import zlib

# What stands on the cassette in place of the origin's own address.
AS = "https://httpbin.example.test"

# None of these may be found on the cassette in any spelling. All are invented.
SECRETS = {
    "bearer": "wt-invented/bearer+token==42",
    "password": "wt invented p@ss:word",
    "session": "wt-invented-session-7c1e",
    "api": "wt-invented-token-of-a-png",
}


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def quoted(text):
    return urllib.parse.quote(text, safe="")


BEARER = {"Authorization": f"Bearer {SECRETS['bearer']}"}
LOGIN = {"Authorization": basic("ada", SECRETS["password"])}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
MULTIPART = (
    b'--wind\r\nContent-Disposition: form-data; name="title"\r\n\r\nB\xc3\xbccher\r\n'
    b'--wind\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n'
    b"Content-Type: application/octet-stream\r\n\r\n\x00\x01\xfe\xff\r\n--wind--\r\n"
)
# What becomes of a request whose answer, address or body repeats a credential.
CLEANED, LEFT_OUT = "cleaned", "left out"

# Method, target, fields, body, and what the recorder must do to it. An iterator as body is sent
# chunked. Requests of one method and target are played in this order.
REQUESTS = [
    ("GET", "/json"),
    ("GET", "/get?page=2&name=%C3%A9t%C3%A9&empty="),
    ("GET", "/headers", {"Accept-Language": "de, en;q=0.5"}),
    ("GET", "/ip"),
    ("HEAD", "/get"),
    ("OPTIONS", "/get"),
    ("POST", "/get", FORM, b"a=1"),
    ("GET", "/gzip", {"Accept-Encoding": "gzip"}),
    ("GET", "/deflate", {"Accept-Encoding": "deflate"}),
    ("GET", "/image/png"),
    ("GET", "/stream/3"),
    ("GET", "/stream-bytes/2048?seed=7&chunk_size=512"),
    ("GET", "/drip?duration=0.1&numbytes=5"),
    # This httpbin breaks off after the head, which announces 1024 bytes.
    ("GET", "/bytes/1024?seed=1"),
    ("GET", "/range/256", {"Range": "bytes=100-199"}),
    ("GET", "/encoding/utf8"),
    ("GET", "/xml"),
    ("GET", "/html"),
    ("GET", "/robots.txt"),
    ("GET", "/links/3/0"),
    ("GET", "/redirect/2"),
    ("GET", "/relative-redirect/1"),
    ("GET", "/absolute-redirect/1"),
    ("GET", "/redirect-to?url=https%3A%2F%2Fother.example.test%2Fa%3Fb%3D1&status_code=307"),
    ("GET", "/redirect-to?url=%2Fget"),
    # Where they lead to, so that a client that follows them arrives.
    ("GET", "/get"),
    # The same three times: the answers must come in this order.
    ("GET", "/etag/abc"),
    ("GET", "/etag/abc", {"If-None-Match": '"abc"'}),
    ("GET", "/etag/abc", {"If-Match": '"other"'}),
    ("GET", "/cache", {"If-Modified-Since": "Wed, 21 Oct 2015 07:28:00 GMT"}),
    ("GET", "/cache/60"),
    ("GET", "/response-headers?X-Part=one&X-Part=two"),
    ("POST", "/post", FORM, b"name=Ada&city=K%C3%B6ln"),
    ("POST", "/post", {"Content-Type": "application/json"}, b'{"id": 7, "tags": ["a", "\xc3\xa4"]}'),
    ("POST", "/post", {"Content-Type": "multipart/form-data; boundary=wind"}, MULTIPART),
    ("POST", "/post", {"Content-Type": "application/octet-stream"}, bytes(range(256))),
    ("POST", "/post", {"Content-Type": "text/plain"}, [b"sent in ", b"two chunks"]),
    ("POST", "/post", {}, b""),
    ("PUT", "/put", {"Content-Type": "application/json"}, b'{"id":7}'),
    ("PATCH", "/patch", {"Content-Type": "application/json"}, b'{"name":"Ada"}'),
    ("DELETE", "/delete"),
    ("GET", "/status/204"),
    ("GET", "/status/418"),
    ("GET", "/status/503"),
    ("GET", "/delay/0"),
    ("GET", "/bearer"),
    # Kept, without the credentials.
    ("GET", "/image/svg", {"Authorization": f"Bearer {SECRETS['api']}"}),
    ("GET", "/basic-auth/ada/other", LOGIN),
    ("GET", "/cookies/set?hue=red"),
    ("GET", "/cookies/delete?hue="),
    # Cleaned: the body or the address repeats a credential, opened or spelt in another way.
    ("GET", "/bearer?with=token", BEARER, b"", CLEANED),
    ("GET", "/gzip?with=token", BEARER, b"", CLEANED),
    ("GET", "/deflate?with=login", LOGIN, b"", CLEANED),
    ("GET", f"/basic-auth/ada/{quoted(SECRETS['password'])}", LOGIN, b"", CLEANED),
    ("GET", f"/cookies/set?session={SECRETS['session']}", {}, b"", CLEANED),
    ("GET", "/cookies", {"Cookie": f"session={SECRETS['session']}"}, b"", CLEANED),
    ("POST", "/post?login", FORM, f"password={quoted(SECRETS['password'])}".encode(), CLEANED),
    # Left out: nobody here can open it.
    ("GET", "/brotli", {"Accept-Encoding": "br"}, b"", LEFT_OUT),
]

def origin(environ, start_response):
    """httpbin, which is told an address from RFC 5737 as its client's: it repeats that."""
    from httpbin import app

    environ["REMOTE_ADDR"] = "192.0.2.1"
    return app(environ, start_response)


def ask(base, host):
    """Asks for everything, as it stands on the wire: nothing is decoded and no redirect followed."""
    url = urllib.parse.urlsplit(base)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
    answers = []
    for method, target, fields, body, _ in map(filled, REQUESTS):
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", host or url.netloc)
        connection.putheader("Accept", "*/*")
        for name, value in fields.items():
            connection.putheader(name, value)
        # A recorder asks on a connection of its own each time, and httpbin repeats that it does.
        if host:
            connection.putheader("Connection", "close")
        chunked = isinstance(body, list)
        # Without the recorder, which passes a whole body on, httpbin would repeat the coding.
        if chunked and host:
            body, chunked = b"".join(body), False
        if chunked:
            connection.putheader("Transfer-Encoding", "chunked")
        elif body or method in ("POST", "PUT", "PATCH"):
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body or None, encode_chunked=chunked)
        response = connection.getresponse()
        try:
            content, cut = response.read(), False
        except http.client.IncompleteRead as error:
            content, cut = error.partial, True
            connection.close()
        answers.append(
            {
                "status": response.status,
                "fields": response.getheaders(),
                "body": base64.b64encode(content).decode(),
                "cut": cut,
            }
        )
    connection.close()
    return {"base": f"http://{host or url.netloc}", "answers": answers}


def filled(request):
    defaults = (None, None, {}, b"", "")
    return tuple(request) + defaults[len(request) :]


def opened(body, coding):
    if coding in ("gzip", "deflate"):
        # 32: zlib or gzip, told apart by the first bytes.
        return zlib.decompress(body, 47)
    return body


def comparable(answer, base, cookie):
    """An answer without what may differ; `cookie` is what the value of a cookie looks like."""
    fields = []
    coding = dict((n.lower(), v) for n, v in answer["fields"]).get("content-encoding", "")
    for name, value in answer["fields"]:
        match name.lower():
            case "date" | "connection" | "keep-alive":
                continue
            # The wrapping of a compressed body bears the time and may differ in length.
            case "content-length" if coding:
                continue
            case "location" if value.startswith(base + "/"):
                value = "{own}" + value.removeprefix(base)
            case "set-cookie":
                value = re.sub(f"^([^=]+)={cookie};", r"\1={value};", value)
        fields.append((name, value))
    body = opened(base64.b64decode(answer["body"]), coding)
    return {"status": answer["status"], "fields": fields, "body": body, "cut": answer["cut"]}


def differences(name, expected, got, cookie):
    """A line for each part of an answer that is not the origin's, and how many are the origin's."""
    lines, same = [], 0
    for request, one, other in zip(REQUESTS, expected["answers"], got["answers"], strict=True):
        method, target, _, _, fate = filled(request)
        if fate == LEFT_OUT and name == "replay":
            if other["status"] != 501:
                lines.append(f"{name}: {method} {target}: {other['status']}, though left out")
            continue
        if fate == CLEANED and name == "replay":
            # What was asked with a secret in its address may be found by what stands for it or not.
            if other["status"] not in (one["status"], 501):
                lines.append(f"{name}: {method} {target}: {one['status']} became {other['status']}")
            continue
        there = comparable(one, expected["base"], "[^;]+")
        here = comparable(other, got["base"], cookie)
        wrong = [part for part in there if there[part] != here[part]]
        same += not wrong
        for part in wrong:
            lines.append(f"{name}: {method} {target}: {part}: {there[part]} became {here[part]}")
    return lines, same


def spellings(secret):
    """The ways in which a secret may stand in a text."""
    yield from (secret, quoted(secret), urllib.parse.quote_plus(secret), json.dumps(secret)[1:-1])
    yield secret.replace("/", "\\/")
    # In base64 at each of the three places in which a group may begin.
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + secret.encode()).decode()
        inner = text[4 if shift else 0 : -4]
        yield inner
        yield inner.replace("+", "-").replace("/", "_")


def texts(cassette):
    """The cassette's own text, and every body that is not readable in it."""
    yield cassette
    for interaction in json.loads(cassette)["interactions"]:
        for part in (interaction["request"], interaction.get("response", {})):
            if "base64" in part:
                fields = {name.lower(): value for name, value in part["headers"]}
                body = base64.b64decode(part["base64"])
                yield opened(body, fields.get("content-encoding", "")).decode("latin-1")


def leaks(cassette):
    places = list(texts(cassette))
    for name, secret in SECRETS.items():
        for spelling in spellings(secret):
            if any(spelling in text for text in places):
                yield f"the cassette holds the {name}, spelt {spelling}"
    for text in places:
        for address in re.findall(r"127\.0\.0\.1|localhost|\[::1\]|/home/|/tmp/", text):
            yield f"the cassette holds {address}"


def check(folder):
    def load(name):
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            return file.read()

    direct, recorder, replay = (
        json.loads(load(f"{name}.json")) for name in ("direct", "recorder", "replay")
    )
    cassette = load("httpbin.json")
    # While it records, a client gets its cookies; from the cassette it gets their stand-ins.
    through, passed = differences("recorder", direct, recorder, "[^;]+")
    again, played = differences("replay", direct, replay, r"REDACTED-\1-[0-9]+")
    problems = through + again + list(leaks(cassette))

    kept = [filled(request) for request in REQUESTS if filled(request)[4] != LEFT_OUT]
    recorded = [interaction["request"] for interaction in json.loads(cassette)["interactions"]]
    if len(recorded) != len(kept):
        problems.append(f"the cassette holds {len(recorded)} requests, not {len(kept)}")
    for one, (method, target, _, _, fate) in zip(recorded, kept):
        # Of an address with a secret only what stands before it is the same.
        url = AS + (target.split("?")[0].rsplit("/", 1)[0] if fate == CLEANED else target)
        whole = one["url"] == url or (fate == CLEANED and one["url"].startswith(url))
        if one["method"] != method or not whole:
            problems.append(f"the cassette holds {one['url']}, not {method} {target}")
    cleaned = [request for request in kept if request[4] == CLEANED]
    if cassette.count("REDACTED-") < len(cleaned):
        problems.append("the cassette holds fewer stand-ins than requests with secrets")
    for part in json.loads(cassette)["interactions"]:
        fields = {n.lower(): v for n, v in part.get("response", {}).get("headers", [])}
        if "content-encoding" in fields and "base64" not in part["response"]:
            problems.append(f"{part['request']['url']} is opened and still called packed")
    left_out = load("left-out").count("\n")
    if left_out != len(REQUESTS) - len(kept):
        problems.append(f"{left_out} requests were left out, not {len(REQUESTS) - len(kept)}")

    for problem in problems:
        print(problem, file=sys.stderr)
    print(
        f"{len(REQUESTS)} requests: {passed} passed through the recorder as from the origin, "
        f"{left_out} left out, {len(recorded)} recorded, {played} replayed as from the origin; "
        f"{len(problems)} differences"
    )
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    asking = commands.add_parser("ask")
    asking.add_argument("base")
    asking.add_argument("file")
    asking.add_argument("--host")
    commands.add_parser("check").add_argument("folder")
    arguments = parser.parse_args()
    if arguments.command == "check":
        sys.exit(check(arguments.folder))
    with open(arguments.file, "w", encoding="utf-8") as file:
        json.dump(ask(arguments.base, arguments.host), file)


if __name__ == "__main__":
    main()
