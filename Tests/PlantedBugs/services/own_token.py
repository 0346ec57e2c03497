"""A client that lives and makes calls beside each other with one token. A call that is refused logs in by itself,
whatever the others do. With the word `shared` one logs in for all of them, and with `compares` one does where the token
is still the one that was refused; with `insists` a call goes on where the new token is refused, too."""
import http.client, json, sys, threading, time, urllib.error, urllib.request

words, gate, writing, tokens = sys.argv[1:], threading.Lock(), threading.Lock(), []


def send(method, url, headers, data=None):
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=3) as got:
            return got.status, got.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


def log_in(base):
    status, body = send("POST", base + "/login", {"Content-Type": "application/json"}, b'{"user":"ada"}')
    return json.loads(body)["token"] if status == 200 else ""


def renewed(base, count, refused):
    if "compares" in words:
        with gate:
            if tokens[-1] == refused:
                tokens.append(log_in(base))
            return tokens[-1]
    if "shared" not in words:
        tokens.append(log_in(base))
        return tokens[-1]
    with gate:
        # Another call may have got one meanwhile.
        if len(tokens) == count:
            tokens.append(log_in(base))
        return tokens[-1]


def call(line):
    if line["method"] != "GET":
        status, body = send(line["method"], line["url"], line["headers"], line.get("body", "").encode())
        return {"ok": status < 400, "status": status, "shown": body}
    base = line["url"].rsplit("/", 1)[0]
    with gate:
        if not tokens:
            tokens.append(log_in(base))
        token, count = tokens[-1], len(tokens)
    for attempt in range(6 if "insists" in words else 2):
        if attempt:
            time.sleep(0.2 if attempt > 1 else 0)
            token = renewed(base, count, token)
        status, body = send("GET", line["url"], {"Authorization": "Bearer " + token})
        if status != 401:
            break
    return {"ok": status < 400, "status": status, "shown": body}


def answer(line):
    try:
        told = call(line)
    except (OSError, http.client.HTTPException) as error:
        told = {"ok": False, "error": repr(error)}
    with writing:
        print(json.dumps({"call": line["call"]} | told), flush=True)


for text in sys.stdin:
    line = json.loads(text)
    if "url" in line:
        threading.Thread(target=answer, args=(line,)).start()
