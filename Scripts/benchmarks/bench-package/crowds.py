"""What many clients at once see of a server, and bytes through a tunnel.

  crowds.py dribble URL PID COUNT    slow answers on COUNT connections; how late their pieces come
  crowds.py idle URL PID COUNT       COUNT connections that ask nothing; closed by the server's end
  crowds.py latency URL ROUNDS       how late an injected delay is on 64 connections, against 64 timers
  crowds.py many URL PID COUNT       COUNT requests; the server's memory on the way
  crowds.py distinct URL PID COUNT   the same, each for an address of its own
  crowds.py upload TOOL BYTES        one upload, recorded; the memory that it takes
  crowds.py source                   a server that sends as many bytes as the first line says
  crowds.py pull HOST:PORT BYTES [PROXY_HOST:PORT]   MB/s, through CONNECT if there is a proxy
"""
import contextlib
import hashlib
import heapq
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PIECES, PIECE_BYTES, INTERVAL = 10, 100, 0.5


def address(text):
    host, port = text.removeprefix("http://").rstrip("/").rsplit(":", 1)
    return host, int(port)


def allow_files(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        sys.exit(f"This system lets a process have {hard} files open, and {count} are needed.")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))


def memory(pid, name="VmRSS"):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith(name + ":"):
                return int(line.split()[1]) / 1000
    raise ValueError(name)


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def settled(pid, count):
    """The descriptors of a process once they are as many, or after ten seconds."""
    deadline = time.monotonic() + 10
    while descriptors(pid) != count and time.monotonic() < deadline:
        time.sleep(0.05)
    return descriptors(pid)


# How much longer than asked for a process sleeps here that does nothing else: in milliseconds, the
# 99th percentile over so many seconds.
SLEEPER = """
import sys, time
end, late = time.monotonic() + float(sys.argv[1]), []
while time.monotonic() < end:
    before = time.monotonic()
    time.sleep(0.005)
    late.append((time.monotonic() - before - 0.005) * 1000)
print(f"{sorted(late)[len(late) * 99 // 100]:.2f}")
"""


CONNECTIONS, DELAY, TURNS = 64, 0.05, 40


def late_answers(url):
    """How late answers are that should take DELAY, on all connections at once: in milliseconds."""
    poll = select.epoll()
    clients, asked, turns, late = {}, {}, {}, []
    request = b"GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for number in range(CONNECTIONS):
        client = socket.create_connection(address(url))
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        poll.register(client, select.EPOLLIN)
        place = client.fileno()
        clients[place], turns[place], asked[place] = client, TURNS, time.monotonic()
        client.send(request)
        # Spread over one delay, as the timers are.
        time.sleep(DELAY / CONNECTIONS)
    while clients:
        for place, _ in poll.poll(1):
            moment = time.monotonic()
            if not clients[place].recv(65536):
                sys.exit("latency: the server closed a connection")
            late.append((moment - asked[place] - DELAY) * 1000)
            turns[place] -= 1
            if turns[place]:
                asked[place] = time.monotonic()
                clients[place].send(request)
            else:
                poll.unregister(place)
                clients.pop(place).close()
    return late


def late_timers():
    """The same loop without a server: how late so many timers are."""
    poll = select.epoll()
    start = time.monotonic()
    due = [(start + DELAY * (1 + n / CONNECTIONS), n, TURNS) for n in range(CONNECTIONS)]
    heapq.heapify(due)
    late = []
    while due:
        poll.poll(max(0, due[0][0] - time.monotonic()))
        moment = time.monotonic()
        while due and due[0][0] <= moment:
            was, number, left = heapq.heappop(due)
            late.append((moment - was) * 1000)
            if left > 1:
                heapq.heappush(due, (time.monotonic() + DELAY, number, left - 1))
    return late


def latency(url, rounds):
    def p99(late):
        return sorted(abs(each) for each in late)[len(late) * 99 // 100]

    late_answers(url)
    pairs = []
    for number in range(rounds):
        if number % 2:
            timers, answers = p99(late_timers()), p99(late_answers(url))
        else:
            answers, timers = p99(late_answers(url)), p99(late_timers())
        pairs.append((answers, timers))
    ratios = sorted((answers - 0.5) / timers for answers, timers in pairs)
    answers, timers = (sorted(each)[rounds // 2] for each in zip(*pairs))
    print(
        f"latency  error p99 at {CONNECTIONS} connections {answers:.2f} ms, of as many timers "
        f"{timers:.2f} ms; beyond 0.5 ms: ratio {ratios[rounds // 2]:.2f} "
        f"({ratios[0]:.2f}–{ratios[-1]:.2f})"
    )


def dribble(url, pid, count):
    allow_files(count + 100)
    before, files = memory(pid), descriptors(pid)
    poll = select.epoll()
    clients, asked, seen = {}, {}, {}
    for _ in range(count):
        client = socket.create_connection(address(url))
        client.setblocking(False)
        poll.register(client, select.EPOLLIN)
        clients[client.fileno()] = client
        seen[client.fileno()] = b""
    command = [sys.executable, "-c", SLEEPER, str(INTERVAL * PIECES)]
    sleeper = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    # Spread over one interval, so that the pieces are, too.
    start = time.monotonic()
    late, waiting, done, failed = [], list(clients), 0, 0
    look, peak = 0.0, 0.0
    while done + failed < count:
        now = time.monotonic()
        while waiting and now >= start + INTERVAL * (count - len(waiting)) / count:
            place = waiting.pop()
            asked[place] = time.monotonic()
            clients[place].send(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for place, _ in poll.poll(0.001 if waiting else 1):
            moment = time.monotonic()
            data = clients[place].recv(65536)
            if not data:
                failed += 1
                poll.unregister(place)
                continue
            had = body_length(seen[place])
            seen[place] += data
            has = body_length(seen[place])
            for piece in range(had // PIECE_BYTES, has // PIECE_BYTES):
                late.append(moment - asked[place] - INTERVAL * (piece + 1))
            if has == PIECES * PIECE_BYTES:
                done += 1
                poll.unregister(place)
        if now >= look:
            look, peak = now + 0.5, max(peak, memory(pid))
    errors = sorted(abs(each) * 1000 for each in late)
    for client in clients.values():
        client.close()
    print(
        f"crowds  dribble: {done} of {count} complete, timing error "
        f"p50 {errors[len(errors) // 2]:.2f} ms, p99 {errors[len(errors) * 99 // 100]:.2f} ms, "
        f"max {errors[-1]:.2f} ms (a process that only sleeps: p99 "
        f"{sleeper.communicate()[0].strip()} ms); memory {before:.0f} MB before, at most {peak:.0f} MB; "
        f"descriptors {files} before, {settled(pid, files)} after"
    )


def body_length(text):
    end = text.find(b"\r\n\r\n")
    return 0 if end < 0 else len(text) - end - 4


def idle(url, pid, count):
    allow_files(count + 100)
    before, files = memory(pid), descriptors(pid)
    clients = [socket.create_connection(address(url)) for _ in range(count)]
    # Who is answered last was accepted last.
    clients[-1].sendall(b"GET /items/0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    clients[-1].recv(65536)
    accepted = settled(pid, files + count) - files
    print(
        f"crowds  idle: {accepted} of {count} accepted; memory {before:.0f} MB before, "
        f"{memory(pid):.0f} MB with them",
        flush=True,
    )
    half = count // 2
    for client in clients[:half]:
        client.close()
    left = settled(pid, files + count - half) - files
    # The one who started the server ends it now.
    print(f"crowds  idle: {left} of {count - half} open after {half} have left", flush=True)
    sys.stdin.readline()
    ended = 0
    for client in clients[half:]:
        client.settimeout(10)
        try:
            while client.recv(65536):
                pass
            ended += 1
        except OSError:
            pass
    print(f"crowds  idle: {ended} of {count - half} closed by the server's end")


def many(url, pid, count, path="/items/%d", distinct=10_000):
    batch, lanes = 100, 8
    line = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    requests = [
        b"".join(line % (first + each) for each in range(batch))
        for first in range(0, distinct, batch)
    ]
    clients = [socket.create_connection(address(url)) for _ in range(lanes)]
    clients[0].sendall(line % 0)
    # All answers are equally long.
    each = len(clients[0].recv(65536))
    buffer = bytearray(1 << 20)
    shown, done, place = [], 0, 0
    start = time.monotonic()
    while done < count:
        for client in clients:
            client.sendall(requests[place % len(requests)])
            place += 1
        for client in clients:
            left = batch * each
            while left:
                got = client.recv_into(buffer, min(left, len(buffer)))
                if not got:
                    sys.exit("The server has closed a connection.")
                left -= got
        done += batch * lanes
        if done % 100_000 == 0:
            shown.append(f"{memory(pid):.0f}")
    seconds = time.monotonic() - start
    print(
        f"crowds  many: {done} requests for {distinct} addresses in {seconds:.0f} s; "
        f"MB after each 100,000: {' '.join(shown)}"
    )


def source():
    listener = socket.create_server(("127.0.0.1", 0))
    print("%s:%d" % listener.getsockname(), flush=True)
    block = bytes(1 << 20)

    def serve(client):
        with client:
            left = int(client.makefile("rb").readline())
            while left:
                client.sendall(block[:left])
                left -= min(left, len(block))

    def accept():
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    # Until the end of the input: whoever started it closes that.
    sys.stdin.read()


def pull(target, count, proxy=None):
    client = socket.create_connection(address(proxy or target))
    if proxy:
        client.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += client.recv(1)
        if b" 200 " not in answer:
            sys.exit(answer.decode())
    buffer = bytearray(1 << 20)
    start = time.monotonic()
    client.sendall(b"%d\n" % count)
    left = count
    while left:
        got = client.recv_into(buffer)
        if not got:
            sys.exit(f"{left} bytes did not come.")
        left -= got
    print(f"{count / (time.monotonic() - start) / 1e6:.0f}")


def upload(tool, count):
    """Records one large upload by the tool, and says what memory that took beside the page cache."""
    listener = socket.create_server(("127.0.0.1", 0))
    heard = []

    def origin():
        client = listener.accept()[0]
        stream = client.makefile("rb")
        while stream.readline() != b"\r\n":
            pass
        digest, left = hashlib.sha256(), count
        while left:
            piece = stream.read(min(left, 1 << 20))
            digest.update(piece)
            left -= len(piece)
        heard.append(digest.hexdigest())
        client.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")

    threading.Thread(target=origin, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        tape = os.path.join(folder, "tape.json")
        upstream = "http://127.0.0.1:%d" % listener.getsockname()[1]
        server = subprocess.Popen(
            [tool, "record", "--upstream", upstream, "--cassette", tape], stdout=subprocess.PIPE
        )
        url = server.stdout.readline().decode().strip()
        before = most = memory(server.pid, "RssAnon")
        client = socket.create_connection(address(url))
        head = f"PUT /big HTTP/1.1\r\nHost: localhost\r\nContent-Length: {count}\r\n\r\n"
        client.sendall(head.encode())
        digest, left, start = hashlib.sha256(), count, time.monotonic()
        while left:
            piece = os.urandom(min(left, 1 << 20))
            client.sendall(piece)
            digest.update(piece)
            left -= len(piece)
            most = max(most, memory(server.pid, "RssAnon"))
        client.setblocking(False)
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            most = max(most, memory(server.pid, "RssAnon"))
            if select.select([client], [], [], 0.02)[0]:
                answer += client.recv(65536)
        seconds = time.monotonic() - start
        server.send_signal(signal.SIGINT)
        while server.poll() is None:
            # Of a process that is gone nothing is told.
            with contextlib.suppress(ValueError, FileNotFoundError, ProcessLookupError):
                most = max(most, memory(server.pid, "RssAnon"))
            time.sleep(0.02)
        name = digest.hexdigest()
        with open(os.path.join(folder, "tape.bodies", name), "rb") as body:
            kept = hashlib.file_digest(body, "sha256").hexdigest()
        whole = heard == [name] and kept == name and answer.startswith(b"HTTP/1.1 201 ")
    print(
        f"upload  {count // 1_000_000} MB recorded in {seconds:.0f} s, whole at the origin and on the "
        f"tape: {'yes' if whole else 'NO'}; memory {before:.0f} MB before, at most {most:.0f} MB"
    )
    if not whole:
        sys.exit(1)


what, *rest = sys.argv[1:] or ["help"]
if what == "distinct":
    # Of one width, so that all requests and answers are equally long.
    many(rest[0], int(rest[1]), int(rest[2]), "/any/%08d", int(rest[2]))
elif what in ("dribble", "idle", "many"):
    {"dribble": dribble, "idle": idle, "many": many}[what](rest[0], int(rest[1]), int(rest[2]))
elif what == "upload":
    upload(rest[0], int(rest[1]))
elif what == "latency":
    latency(rest[0], int(rest[1]))
elif what == "source":
    source()
elif what == "pull":
    pull(rest[0], int(rest[1]), *rest[2:])
else:
    sys.exit(__doc__)
