"""A link between two TUN devices: loss, then the rate, then the delay, in order, each way its own.

Commands come by a pipe, one JSON object each: {"up": {...}, "down": {...}} with "delay" (seconds),
"rate" (bits a second), "loss" (probability), "burst" ([good to bad, bad to good]), "seed", and "drop"
({"syn" | "data" | "ack": [numbers from 1]}). Each is answered by a byte.
"""
import collections, ctypes, fcntl, json, os, random, select, struct, time


def open_tun(name):
    """Opens a device in the caller's own namespace."""
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    # TUNSETIFF with IFF_TUN | IFF_NO_PI (linux/if_tun.h).
    fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH22x", name.encode(), 0x1001))
    return tun


def own_network():
    """Leaves the parent's network namespace (CLONE_NEWNET)."""
    if ctypes.CDLL(None, use_errno=True).unshare(0x40000000) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def kind(packet):
    """syn, data or ack, by the TCP header behind the IPv4 one."""
    header = (packet[0] & 15) * 4
    if packet[header + 13] & 2:
        return "syn"
    return "data" if len(packet) > header + (packet[header + 12] >> 4) * 4 else "ack"


class Way:
    def __init__(self, source, target):
        self.source, self.target = source, target
        self.waiting = collections.deque()
        self.set({})

    def set(self, words):
        self.delay, self.rate = words.get("delay", 0), words.get("rate", 0)
        self.loss, self.burst = words.get("loss", 0), words.get("burst")
        self.drop = words.get("drop", {})
        self.seen = collections.Counter()
        self.draws = random.Random(words.get("seed", 1))
        self.bad = bool(self.burst) and self.draws.random() < self.burst[0] / sum(self.burst)
        self.busy = 0.0
        self.waiting.clear()

    def is_lost(self, packet):
        name = kind(packet)
        self.seen[name] += 1
        if self.seen[name] in self.drop.get(name, ()):
            return True
        if self.burst:
            if self.draws.random() < self.burst[1 if self.bad else 0]:
                self.bad = not self.bad
            return self.bad
        return self.loss > 0 and self.draws.random() < self.loss

    def take(self):
        """Reads what has come and says when it is to go on."""
        while True:
            try:
                packet = os.read(self.source, 2048)
            except BlockingIOError:
                return
            now = time.monotonic()
            # IPv4 and TCP; neighbours and groups are nobody's business here.
            if packet[0] >> 4 != 4 or packet[9] != 6 or self.is_lost(packet):
                continue
            if self.rate:
                self.busy = max(self.busy, now) + len(packet) * 8 / self.rate
                now = self.busy
            self.waiting.append((now + self.delay, packet))

    def give(self, now):
        while self.waiting and self.waiting[0][0] <= now:
            os.write(self.target, self.waiting.popleft()[1])


def emulate(left, right, commands, answers):
    up, down = Way(left, right), Way(right, left)
    text = b""
    while True:
        due = [way.waiting[0][0] for way in (up, down) if way.waiting]
        pause = max(0, min(due) - time.monotonic()) if due else None
        ready = select.select([left, right, commands], [], [], pause)[0]
        now = time.monotonic()
        up.give(now)
        down.give(now)
        up.take()
        down.take()
        if commands in ready:
            more = os.read(commands, 65536)
            if not more:
                return
            *lines, text = (text + more).split(b"\n")
            for line in lines:
                words = json.loads(line)
                up.set(words["up"])
                down.set(words["down"])
                os.write(answers, b".")
