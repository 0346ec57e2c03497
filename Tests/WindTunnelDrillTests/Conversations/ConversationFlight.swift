import Foundation
import TestSupport
import Testing

@testable import WindTunnelDrill

/// Calls of a program in Python that holds conversations by WebSocket.
struct ConversationFlight {
  /// A client by WebSocket of some thirty lines (RFC 6455), as `WebSocket(url)`.
  private static let library = """
    import json, os, socket, struct, sys, time, urllib.parse
    class WebSocket:
        def __init__(self, url, wait=20):
            place = urllib.parse.urlsplit(url)
            assert place.scheme == "ws", url
            self.socket = socket.create_connection((place.hostname, place.port), wait)
            self.socket.sendall((f"GET {place.path} HTTP/1.1\\r\\nHost: {place.netloc}\\r\\n"
                "Connection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n").encode())
            self.rest = b""
            while b"\\r\\n\\r\\n" not in self.rest:
                self.rest += self.more()
            head, self.rest = self.rest.split(b"\\r\\n\\r\\n", 1)
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

    """

  /// A conversation in which a client asks for news, and hears of them.
  static let chat = """
    { "windtunnel": 1, "interactions": [ {
      "request": { "url": "/chat" }, "then": "repeat",
      "messages": [
        { "from": "server", "text": "welcome" }, { "from": "client", "text": "news, please" },
        { "from": "server", "text": "Es regnet in München." }, { "from": "server", "text": "It snows." }
      ]
    } ] }
    """

  let command: [String]
  var cassette = Self.chat
  var calls = 1
  var atOnce = 1
  var deadline = Duration.seconds(60)

  /// Takes a program that is started for each call, whose address is `url`.
  init(_ script: String) {
    command = ["python3", "-c", Self.library + "url = sys.argv[1]\n" + script, "{url}"]
  }

  /// Takes a program that is started once.
  init(living script: String) {
    let head = """
      lines = (json.loads(text) for text in sys.stdin)
      def say(call, **more):
          print(json.dumps({"call": call, "ok": True} | more), flush=True)

      """
    command = ["python3", "-c", Self.library + head + script]
  }

  func fly(_ faults: [Fault] = [], first: Int? = nil) async throws -> Report.Row {
    let when: Trigger = first.map { .first($0) } ?? .always
    let rules: [Rule] = faults.isEmpty ? [] : [.on("GET /chat", when, faults)]
    return try await fly(in: Scenario("weather", rules: rules))
  }

  func fly(in scenario: Scenario) async throws -> Report.Row {
    let cassette = try Cassette(data: Data(cassette.utf8), source: "chat.json")
    let drill = try TestSubjects.drill(DrillPlan.execSubject) { plan in
      plan.command = command
      plan.cassette = cassette
      (plan.scenarios, plan.calls, plan.stage) = ([scenario], calls, nil)
      (plan.deadline, plan.load) = (deadline, .closedLoop(concurrency: atOnce))
    }
    let report = try await drill.fly()
    // What is written is read again, figures and all.
    let again = try Report(data: report.data(), source: "report")
    expectEqual(again.scenarios.map(\.subjects), report.scenarios.map(\.subjects))
    return try #require(report.scenarios.first?.subjects.first)
  }
}
