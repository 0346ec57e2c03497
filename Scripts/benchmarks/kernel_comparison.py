"""Measures this kernel's TCP over an emulated link and holds the loss model against it.

Runs in a user and network namespace of its own; Scripts/benchmarks/kernel-comparison makes one.
"""
import argparse, bisect, json, os, signal, socket, struct, subprocess, sys, threading, time
from link_emulator import emulate, open_tun, own_network

CLIENT, SERVER, PORT = "10.77.0.1", "10.77.0.2", 9000


def configure(device, own, other):
    for words in (
        f"ip addr add {own} peer {other} dev {device}",
        f"ip link set {device} mtu 1500 txqueuelen 10000 up",
    ):
        subprocess.run(words.split(), check=True)
    # A connection must not begin with what the one before has learned.
    with open("/proc/sys/net/ipv4/tcp_no_metrics_save", "w") as file:
        file.write("1")


def exactly(peer, count):
    data = b""
    while len(data) < count:
        more = peer.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def answer(peer):
    try:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        asked, size = struct.unpack(">II", exactly(peer, 8))
        exactly(peer, asked)
        peer.sendall(bytes(size))
        exactly(peer, 1)
    except (OSError, EOFError):
        pass
    finally:
        peer.close()


def serve(ready):
    own_network()
    tun = open_tun("wt1")
    configure("wt1", SERVER, CLIENT)
    with socket.create_server((SERVER, PORT), backlog=128) as listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
        socket.send_fds(ready, [b"."], [tun])
        while True:
            threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()


class Link:
    """Both ends and what lies between, each a process that ends with this one."""

    def __init__(self):
        here, there = socket.socketpair()
        self.children = []
        self.spawn(lambda: serve(there))
        right = socket.recv_fds(here, 1, 1)[1][0]
        left = open_tun("wt0")
        configure("wt0", CLIENT, SERVER)
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        self.spawn(lambda: emulate(left, right, commands, answers), closing=self.commands)

    def spawn(self, body, closing=None):
        pid = os.fork()
        if pid == 0:
            try:
                if closing is not None:
                    os.close(closing)
                body()
            finally:
                os._exit(1)
        self.children.append(pid)

    def set(self, up, down):
        os.write(self.commands, json.dumps({"up": up, "down": down}).encode() + b"\n")
        os.read(self.answers, 1)

    def exchange(self, request, response):
        """Milliseconds to connect, and from there to the last byte; None if it failed."""
        return self.receive(request, [response])

    def streams(self, count, response):
        """Milliseconds to connect, and from there to the end of the first and of the last of some
        responses, each of which is sent as one frame; None if they failed."""
        times = self.receive(120 * count, [response] * count)
        return times and (times[0], times[1], times[-1])

    def receive(self, request, responses):
        """Milliseconds to connect, and from there to each response's end; None if it failed."""
        ends, rest = [], sum(responses)
        with socket.socket() as client:
            client.settimeout(60)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            start = time.monotonic()
            try:
                client.connect((SERVER, PORT))
                connected = time.monotonic()
                client.sendall(struct.pack(">II", request - 8, rest) + bytes(request - 8))
                while rest:
                    got = len(client.recv(1 << 18))
                    if not got:
                        return None
                    rest -= got
                    while len(ends) < len(responses) and sum(responses[len(ends) + 1:]) >= rest:
                        ends.append((time.monotonic() - connected) * 1000)
            except OSError:
                return None
            # Reset, so that nothing of it is on the link when the next begins.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return (connected - start) * 1000, *ends

    def close(self):
        for pid in self.children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def modelled(program, *words):
    run = subprocess.run([program, "model", *words], check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return [
        (line["connectedMilliseconds"], line["transferMilliseconds"])
        for line in lines
        if line["doneMilliseconds"] is not None and line["doneMilliseconds"] < 60_000
    ]


def distance(left, right):
    """Kolmogorov and Smirnov's, both rounded to 10 ms."""
    left, right = (sorted(round(value / 10) for value in side) for side in (left, right))
    return max(
        abs(bisect.bisect_right(left, x) / len(left) - bisect.bisect_right(right, x) / len(right))
        for x in set(left + right)
    )


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def measured(link, options, key, way, size):
    """The cell's exchanges: from the file of those that were kept, or flown now."""
    kept = {}
    if options.samples and os.path.exists(options.samples):
        with open(options.samples) as file:
            kept = json.load(file)
    if key not in kept:
        kept[key] = []
        for number in range(options.connections):
            # A chain that went on from one connection to the next would find the next in its good
            # state, since what came last came through; the model's begins anew with each.
            if number == 0 or way["burst"]:
                seed = 2 * (size + number)
                link.set({**way, "seed": seed + 1}, {**way, "seed": seed + 2})
            kept[key].append(link.exchange(312, size))
        if options.samples:
            with open(options.samples, "w") as file:
                json.dump(kept, file)
    return [pair[1] for pair in kept[key] if pair]


def random_cells(link, options):
    losses = [None] if options.burst else [float(p) for p in options.losses.split(",")]
    above = cells = 0
    print("round trip, loss, bytes: KS (critical); P50, P95 of kernel | model, ms")
    for rtt in (float(r) for r in options.round_trips.split(",")):
        for loss in losses:
            for size in (int(b) for b in options.bytes.split(",")):
                burst = [float(p) for p in options.burst.split(",")] if options.burst else None
                way = {"delay": rtt / 2000, "loss": loss or 0, "burst": burst}
                key = f"{rtt:g}, {loss or options.burst}, {size}"
                kernel = measured(link, options, key, way, size)
                kind = ("--burst", options.burst) if burst else ("--loss", str(loss))
                model = modelled(
                    options.model, "--rtt", str(rtt), *kind, "--request", "312",
                    "--response", str(size), "--draws", "2000", "--seed", "1",
                )
                model = [pair[1] for pair in model]
                n, m = len(kernel), len(model)
                critical = 1.358 * ((n + m) / (n * m)) ** 0.5
                apart = distance(kernel, model)
                cells, above = cells + 1, above + (apart > critical)
                told = " | ".join(
                    f"{quantile(side, 0.5):.0f}, {quantile(side, 0.95):.0f}" for side in (kernel, model)
                )
                print(f"{key}: {apart:.3f} ({critical:.3f}); {told}",
                      flush=True)
    print(f"{cells - above} of {cells} cells below the critical value")
    return above <= max(1, cells // 10)


def stream_cells(link, options):
    """Measures responses that share a connection; a test of the package compares them."""
    cells = []
    for cell in options.streams.split(","):
        rtt, loss, count = (float(word) for word in cell.split(":"))
        way = {"delay": rtt / 2000, "loss": loss}
        link.set({**way, "seed": len(cells) + 1}, {**way, "seed": len(cells) + 1001})
        samples = [link.streams(int(count), 14_480) for _ in range(options.connections)]
        samples = [[round(value, 3) for value in sample] for sample in samples if sample]
        cells.append({"roundTripMilliseconds": rtt, "loss": loss, "streams": int(count),
                      "responseBytes": 14_480, "samples": samples})
        print(f"{cell}: {len(samples)} connections", flush=True)
    with open(options.samples, "w") as file:
        about = ("Linux %s, CUBIC, independent loss both ways, requests of 120 bytes at once: "
                 "milliseconds to connect, and from there to the end of the first and of the last "
                 "response." % ".".join(os.uname().release.split(".")[:2]))
        rows = ",\n    ".join(json.dumps(cell) for cell in cells)
        file.write('{\n  "about": "%s",\n  "cells": [\n    %s\n  ]\n}\n' % (about, rows))
    return True


def exact_cases(link, options):
    cases = [("up", "data", [1]), ("up", "data", [1, 2]), ("up", "data", [1, 2, 3])]
    cases += [("down", "data", list(numbers)) for numbers in ((5,), (8,), (10,), (9, 10), (8, 9, 10))]
    cases += [("down", "data", list(range(1, 11))), ("up", "syn", [1]), ("up", "syn", [1, 2]),
              ("down", "syn", [1])]
    print("round trip, lost: connected, transferred of kernel | model, ms")
    for rtt in (float(r) for r in options.round_trips.split(",")):
        for way, kind, numbers in cases:
            size = 1000 if way == "up" else 14480
            words = {side: {"delay": rtt / 2000} for side in ("up", "down")}
            words[way]["drop"] = {kind: numbers}
            link.set(words["up"], words["down"])
            kernel = link.exchange(112, size) or (float("nan"),) * 2
            drop = f"{way}:{kind}:{','.join(map(str, numbers))}"
            model = modelled(options.model, "--rtt", str(rtt), "--drop", drop, "--request", "112",
                             "--response", str(size))[0]
            print(f"{rtt:g}, {drop}: {kernel[0]:.0f}, {kernel[1]:.0f} | {model[0]:.0f}, {model[1]:.0f}",
                  flush=True)
    return True


parser = argparse.ArgumentParser()
parser.add_argument("--model")
parser.add_argument("--connections", type=int, default=150)
parser.add_argument("--round-trips", default="100")
parser.add_argument("--losses", default="0.01,0.02,0.05,0.1")
parser.add_argument("--bytes", default="1000,14480,100000")
parser.add_argument("--burst")
parser.add_argument("--samples", help="a file that keeps what was measured, and is gone by the next time")
parser.add_argument("--exact", action="store_true")
parser.add_argument("--streams", help="round trip:loss:streams of each cell")
options = parser.parse_args()
subprocess.run("ip link set lo up".split(), check=True)
link = Link()
try:
    mode = stream_cells if options.streams else exact_cases if options.exact else random_cells
    ok = mode(link, options)
finally:
    link.close()
sys.exit(0 if ok else 1)
