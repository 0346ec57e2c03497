import Mutations
import TestSupport

@testable import WindTunnelHTTP
@testable import WindTunnelWire

/// Frames in any order, some of them harmed: a codec answers or ends the connection; it keeps no
/// more than its limits allow, and no request with a smuggled field reaches the server.
///
/// `WINDTUNNEL_FUZZ=1000000` tries so many, `WINDTUNNEL_FUZZ_FROM=4711` begins with that seed.
@Suite(.world, .timeLimit(.minutes(60))) struct HTTP2FuzzTests {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  private static let commands = [
    "GET S", "GET S :path=/wait", "GET S :path=/trailers", "POST S", "POST S content-length=9",
    "FIELDS S x=1", "OPEN S x=1", "FIELDS S :path=/", "GET S A=1", "GET S x=%0D%0A", "DATA S N",
    "DATA S N end", "DATA S 0", "RST S N", "WINDOW S N", "WINDOW 0 N", "WINDOW S 2147483647",
    "SETTINGS 4=20", "SETTINGS 1=0", "SETTINGS 4=0", "SETTINGS ack", "PING", "PRIORITY S N",
    "RESPOND S N", "RESPOND S 20000", "RAW 1 1 S 828684410161", "RAW 9 4 S 40", "RAW 9 0 S",
    "RAW 7 0 0 0000000000000000", "RAW 22 0 S 00", "RAW 0 8 S 024100", "RAW 1 5 S 828684be",
    "GET S host=b.test", "GET S connection=x", "GET S transfer-encoding=chunked",
  ]

  @Test func `frames in any order are answered within the limits`() {
    let first = Self.setting("WINDTUNNEL_FUZZ_FROM") ?? 1
    var headCount = 0
    for seed in first..<first + (Self.setting("WINDTUNNEL_FUZZ") ?? 20_000) {
      let name: Comment = "WINDTUNNEL_FUZZ=1 WINDTUNNEL_FUZZ_FROM=\(seed)"
      var numbers = Generator(seed: seed)
      let peer = FramePeer()
      var (hasFailed, wasHarmed) = (false, false)
      for _ in 0..<Int.random(in: 1...12, using: &numbers) {
        let (stream, number) = (
          numbers.pick([1, 1, 3, 3, 5, 7, 2]), numbers.pick([1, 9, 300, 9000])
        )
        let words = numbers.pick(Self.commands).split(separator: " ").map {
          $0 == "S" ? "\(stream)" : $0 == "N" ? "\(number)" : String($0)
        }
        let isHarmed = words[0] != "RESPOND" && numbers.pick([true, false, false, false])
        if isHarmed {
          wasHarmed = true
          peer.feed(numbers.mutated(FramePeer.frame(words[0], Array(words.dropFirst()))))
        } else {
          peer.send(words.joined(separator: " "))
        }
        let output = peer.spell(room: numbers.pick([0, 10, .max]))
        #expect(!hasFailed || output.isEmpty, name)
        // Behind a harmed length the server may not see that the client's table has become smaller.
        #expect(wasHarmed || !output.contains("invalid"), name)
        #expect(!output.contains("unknown"), name)
        hasFailed = hasFailed || output.contains("GOAWAY")
        #expect(peer.codec.bufferedBytes <= 16_393, name)
      }
      headCount += peer.heads.count
      for field in peer.heads.flatMap(\.headers) {
        // A harmed request may have no `:authority` that differs from its host.
        let isHidden = !wasHarmed && field.value.contains("b.test")
        let isPlain = !field.value.breaksFieldLine && !isHidden
        #expect(isPlain && !["connection", "transfer-encoding", "A"].contains(field.name), name)
      }
    }
    #expect(headCount > 0)
  }

  private static let answers = [
    "OPEN S :status=200", "FIELDS S :status=200 content-length=9", "OPEN S :status=103",
    "OPEN S :status=200 content-length=300", "FIELDS S x=1", "OPEN S x=1", "DATA S N",
    "DATA S N end", "FIELDS S :status=204", "OPEN S :status=200 connection=x", "RST S N", "PING",
    "WINDOW S N", "WINDOW 0 N", "SETTINGS 1=0 3=1", "SETTINGS 4=20", "RAW 7 0 0 0000000300000000",
    "RAW 1 1 S 88", "RAW 9 4 S 40", "RAW 5 4 S 0000000282", "OPEN S :status=200 x=%0D%0A",
  ]

  @Test func `a server's frames in any order end each request once`() {
    let first = Self.setting("WINDTUNNEL_FUZZ_FROM") ?? 1
    var endCount = 0
    for seed in first..<first + (Self.setting("WINDTUNNEL_FUZZ") ?? 20_000) {
      let name: Comment = "WINDTUNNEL_FUZZ=1 WINDTUNNEL_FUZZ_FROM=\(seed)"
      var numbers = Generator(seed: seed)
      let peer = ClientPeer(["GET", "HEAD", "POST"])
      var (ended, begun) = (Set<Substring>(), Set<Substring>())
      for _ in 0..<Int.random(in: 1...12, using: &numbers) {
        let (stream, number) = (
          numbers.pick([1, 1, 3, 5, 7, 2]), numbers.pick([0, 7, 9, 300, 9000])
        )
        let words = numbers.pick(Self.answers).split(separator: " ").map {
          $0 == "S" ? "\(stream)" : $0 == "N" ? "\(number)" : String($0)
        }
        let frame = FramePeer.frame(words[0], Array(words.dropFirst()))
        peer.feed(numbers.pick([true, false, false]) ? numbers.mutated(frame) : frame)
      }
      for event in peer.events where !event.hasPrefix("0 ") {
        let words = event.split(separator: " ")
        #expect(!ended.contains(words[0]) && !event.hasSuffix(" connection"), name)
        #expect(begun.contains(words[0]) || !["end", "trailers"].contains(words[1]), name)
        if Int(words[1]) != nil { begun.insert(words[0]) }
        if ["end", "unprocessed", "reset", "invalid", "ended"].contains(words[1]) {
          ended.insert(words[0])
        }
      }
      endCount += ended.count
    }
    #expect(endCount > 0)
  }
}
