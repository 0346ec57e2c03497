import os, socket, sys
proxy, admin, own, loop = sys.argv[1:]
host, port = proxy[7:].split(":")
def ask(head, body=b""):
    peer = socket.create_connection((host, int(port)))
    peer.sendall(head.encode() + body)
    heard = b""
    while b"\r\n\r\n" not in heard:
        some = peer.recv(65536)
        if not some: break
        heard += some
    return heard.split(b" ")[1].decode()
def get(url, method="GET", body=b""):
    more = "Content-Length: %d\r\n" % len(body) if body else ""
    return ask("%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n" % (method, url, more), body)
def tunnel(place):
    return ask("CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n" % place) if place else "-"
admins = admin[len("http://127.0.0.1:"):]
print("before", get("http://8.8.4.4/a"), tunnel("8.8.4.4:80"))
print("page", get("http://wind.tunnel/"))
if os.environ["CODE"]:
    print("wrong", get("http://wind.tunnel/code", "POST", b"code=x"))
    print("right", get("http://wind.tunnel/code", "POST", b"code=" + os.environ["CODE"].encode()))
print("global", get("http://8.8.4.4/a"))
print("own", get(own + "/a"), get("http://10.88.0.1:1/a"), tunnel(own[7:]))
print("loopback", get(loop + "/a"), tunnel(loop[7:]))
print("beyond", get("http://10.88.0.2/a"), tunnel("10.88.0.2:80"))
print("beside", get("http://10.77.0.9:1/a"))
print("metadata", get("http://169.254.169.254/latest/meta-data/"))
scenario = b'{"name": "offline"}'
for place in ["127.0.0.1", "127.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "10.77.0.1"]:
    print("admin", place, get("http://%s:%s/scenario" % (place, admins), "PUT", scenario))
