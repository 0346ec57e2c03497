import json, os, socket, struct, sys, time, urllib.parse
class WebSocket:
    def __init__(self, url, wait=20):
        place = urllib.parse.urlsplit(url)
        assert place.scheme == "ws", url
        self.socket = socket.create_connection((place.hostname, place.port), wait)
        self.socket.sendall((f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 101 "):
            raise ConnectionError(head)
    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("closed")
        return data
    def take(self, count):
        while len(self.rest) < count:
            self.rest += self.more()
        data, self.rest = self.rest[:count], self.rest[count:]
        return data
    def frame(self):
        first, length = self.take(2)
        if length == 126:
            length = struct.unpack(">H", self.take(2))[0]
        return first & 15, self.take(length)
    def hear(self):
        while True:
            kind, data = self.frame()
            if kind == 8:
                raise ConnectionError(struct.unpack(">H", data[:2])[0] if data else 1005)
            if kind == 9:
                self.say(data, 10)
            if kind in (0, 1, 2):
                return data.decode()
    def say(self, data, kind=1):
        data = data.encode() if isinstance(data, str) else data
        mask = os.urandom(4)
        self.socket.sendall(bytes([0x80 | kind, 0x80 | len(data)]) + mask
            + bytes(byte ^ mask[place % 4] for place, byte in enumerate(data)))
    def close(self, code=1000):
        self.say(struct.pack(">H", code), 8)
        self.socket.close()

