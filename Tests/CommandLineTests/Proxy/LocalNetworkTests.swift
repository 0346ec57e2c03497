import Foundation
import TestSupport
import Testing

/// `windtunnel proxy --lan` as a device sees it that is another machine: a network with a phone, and
/// behind it one that the phone is not in.
@Suite(.timeLimit(.minutes(5))) struct LocalNetworkTests {
  /// Three namespaces: the machine with the proxy (10.77.0.1 and 10.88.0.1), the phone (10.77.0.2), and a
  /// server (10.88.0.2 and 8.8.4.4, an address of the Internet as far as anybody here can tell).
  private static let network = """
    set -e
    ip link set dev lo up
    unshare -n sleep 600 & phone=$!
    unshare -n sleep 600 & server=$!
    trap 'kill $phone $server $serve $loop $far 2> /dev/null' EXIT
    own=$(readlink /proc/self/ns/net)
    for process in $phone $server; do
      while [ "$(readlink /proc/$process/ns/net)" = "$own" ]; do kill -0 $process; done
    done
    ip link add p type veth peer name q netns $phone
    ip link add s type veth peer name t netns $server
    ip addr add 10.77.0.1/24 dev p; ip link set dev p up
    ip addr add 10.88.0.1/24 dev s; ip link set dev s up
    on() { nsenter --preserve-credentials -n -t "$@"; }
    on $phone sh -c 'ip link set dev lo up; ip addr add 10.77.0.2/24 dev q; ip link set dev q up'
    on $server sh -c '
      ip link set dev lo up; ip addr add 10.88.0.2/24 dev t; ip addr add 8.8.4.4/32 dev t; ip link set dev t up
    '
    ip route add 8.8.4.4 via 10.88.0.2
    listens() { until [ -s $1 ]; do kill -0 $2 || exit 3; sleep 0.05; done; }
    "$1" serve --cassette tape.json --bind 10.77.0.1 > own 2> own.err & serve=$!
    "$1" serve --cassette tape.json > loop 2> loop.err & loop=$!
    # Behind the function the shell's own child would be ended, and the server not.
    nsenter --preserve-credentials -n -t $server "$1" serve --cassette tape.json --bind 0.0.0.0 \
      --port 80 --allow-origin http://8.8.4.4 > far 2> far.err & far=$!
    listens own $serve; listens loop $loop; listens far $far
    "$1" proxy --lan --bind 10.77.0.1 --admin-port 0 --report flight.json $2 > ready 2> told & proxy=$!
    until [ "$(wc -l < ready)" = 2 ]; do kill -0 $proxy || exit 3; sleep 0.05; done
    on $phone env CODE="$(sed -n 's/.*the code \\([0-9]*\\).*/\\1/p' told)" python3 ask.py \
      "$(sed -n 1p ready)" "$(sed -n 2p ready)" "$(cat own)" "$(cat loop)" > asked 2>&1 || true
    kill -INT $proxy; wait $proxy
    """

  /// The phone: it says what each question comes to, by its status.
  private static let phone = """
    import os, socket, sys
    proxy, admin, own, loop = sys.argv[1:]
    host, port = proxy[7:].split(":")
    def ask(head, body=b""):
        peer = socket.create_connection((host, int(port)))
        peer.sendall(head.encode() + body)
        heard = b""
        while b"\\r\\n\\r\\n" not in heard:
            some = peer.recv(65536)
            if not some: break
            heard += some
        return heard.split(b" ")[1].decode()
    def get(url, method="GET", body=b""):
        more = "Content-Length: %d\\r\\n" % len(body) if body else ""
        return ask("%s %s HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n%s\\r\\n" % (method, url, more), body)
    def tunnel(place):
        return ask("CONNECT %s HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" % place) if place else "-"
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
    """

  private func fly(_ more: [String], in scratch: Scratch) async throws -> [String] {
    let tape =
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/a"},"response":{"text":"a"}}]}"#
    try scratch.write(tape, to: "tape.json")
    try scratch.write(Self.network, to: "network.sh")
    try scratch.write(Self.phone, to: "ask.py")
    let run = try await Companion.run(
      ["unshare", "-Urnm", "sh", "network.sh", try Program.executable().path]
        + [more.joined(separator: " ")],
      in: scratch
    )
    try #require(run.code == 0, "\(run.text)")
    return try scratch.text("asked").split(separator: "\n").map(String.init)
  }

  @Test(.enabled(if: Namespaces.areHere, Namespaces.areMissing))
  func `a phone gives the code, and gets to the Internet and not into this machine`() async throws {
    let scratch = try Scratch()
    let lines = try await fly([], in: scratch)
    expectEqual(
      lines,
      [
        "before 407 407", "page 200", "wrong 403", "right 303", "global 200", "own 403 403 403",
        "loopback 403 403", "beyond 403 403",
        // It is in the phone's own network, where nobody listens.
        "beside 502", "metadata 403", "admin 127.0.0.1 403", "admin 127.1 403",
        "admin localhost 403",
        "admin 0.0.0.0 403", "admin [::ffff:127.0.0.1] 403", "admin 10.77.0.1 403",
      ],
      "\(lines)"
    )
    let told = try scratch.text("told")
    let turnedAway = "10.77.0.2 has asked, and is not served before it gives the code."
    #expect(told.contains("\n\(turnedAway)\n10.77.0.2 gave the code and is served.\n"))
    let refused = "10.77.0.2 was not connected: 10.88.0.2:80 is not of the Internet"
    expectEqual(told.count(of: refused), 1, "\(told)")
    #expect(told.contains("--allow-private 10.88.0.2:80\n"))
    #expect(!(try scratch.text("flight.json")).contains("turned away"))
  }

  @Test(.enabled(if: Namespaces.areHere, Namespaces.areMissing))
  func `a phone that is named gives no code, and gets to what is let in by name`() async throws {
    let scratch = try Scratch()
    let flags = ["--client", "10.77.0.2", "--allow-private", "10.88.0.2:80"]
    let lines = try await fly(flags, in: scratch)
    expectEqual(
      lines,
      [
        "before 200 200", "page 200", "global 200", "own 403 403 403", "loopback 403 403",
        "beyond 200 200", "beside 502", "metadata 403", "admin 127.0.0.1 403", "admin 127.1 403",
        "admin localhost 403", "admin 0.0.0.0 403", "admin [::ffff:127.0.0.1] 403",
        "admin 10.77.0.1 403",
      ],
      "\(lines)"
    )
  }
}

extension String {
  fileprivate func count(of text: String) -> Int { components(separatedBy: text).count - 1 }
}
