"""A connection by WebSocket (RFC 6455), which the clients of conversations share: it is no client of its own."""
import base64, json, os, socket, struct, time, urllib.parse


class Closed(ConnectionError):
    """The server has closed it, by a code; 1006 without a close frame."""

    def __init__(self, code):
        super().__init__(f"closed with {code}")
        self.code = code


class Chat:
    def __init__(self, url):
        place = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((place.hostname, place.port), 5)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        self.rest, self.isPinged = b"", False
        while b"\r\n\r\n" not in self.rest:
            self.more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 101 "):
            self.socket.close()
            raise ConnectionError(head.split(b"\r\n")[0].decode())

    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise Closed(1006)
        self.rest += data

    def frame(self):
        while True:
            start = 4 if len(self.rest) > 1 and self.rest[1] == 126 else 2
            if len(self.rest) >= start:
                length = struct.unpack(">H", self.rest[2:4])[0] if start == 4 else self.rest[1]
                if len(self.rest) >= start + length:
                    kind, data = self.rest[0] & 15, self.rest[start : start + length]
                    self.rest = self.rest[start + length :]
                    return kind, data
            self.more()

    def hear(self, quiet=None, end=None):
        """The next text; None when the end has come. After so many seconds of silence it pings, and after as many more
        there is nobody."""
        self.socket.settimeout(quiet)
        while end is None or time.monotonic() < end:
            try:
                kind, data = self.frame()
            except TimeoutError:
                if self.isPinged:
                    raise
                self.isPinged = True
                self.say(b"", 9)
                continue
            self.isPinged = False
            if kind == 1:
                return data.decode()
            if kind == 8:
                raise Closed(struct.unpack(">H", data[:2])[0] if data else 1005)
            if kind == 9:
                self.say(data, 10)

    def say(self, data, kind=1):
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(data))
        self.socket.sendall(bytes([0x80 | kind, 0x80 | len(data)]) + mask + masked)

    def subscribe(self, topic):
        self.say(json.dumps({"type": "subscribe", "topic": topic}).encode())

    def close(self):
        try:
            self.say(struct.pack(">H", 1000), 8)
        except OSError:
            pass
        self.socket.close()
