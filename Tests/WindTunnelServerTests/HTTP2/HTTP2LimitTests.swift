import TestSupport

@testable import WindTunnel
@testable import WindTunnelHTTP
@testable import WindTunnelServer
@testable import WindTunnelWire

/// Each limit holds at its number, and a client that goes far beyond it costs no more than one that
/// goes just beyond it.
@Suite struct HTTP2LimitTests {
  private static let bounds: HTTP2Limits = {
    var bounds = HTTP2Limits()
    (bounds.resetsMax, bounds.unsentFramesMax, bounds.resetStreamsKept) = (10, 20, 8)
    bounds.concurrentStreamsMax = 10
    return bounds
  }()

  private static func frames(_ count: Int, _ frame: (Int) -> String) -> String {
    (0..<count).map(frame).joined(separator: "; ")
  }

  @Test func `a client above a limit of the connection has to calm down`() {
    let rows: [(name: String, limit: Int, frame: (Int) -> String)] = [
      ("rapid resets", 10, { "GET \($0 * 2 + 1) :path=/wait; RST \($0 * 2 + 1) 8" }),
      ("malformed requests", 10, { "GET \($0 * 2 + 1) A=1" }),
      ("requests above a limit", 10, { "GET \($0 * 2 + 1) expect=x" }),
      ("made resets by windows", 10, { "POST \($0 * 2 + 1); WINDOW \($0 * 2 + 1) 0" }),
      ("made resets by sizes", 10, { "POST \($0 * 2 + 1); RAW 2 0 \($0 * 2 + 1) 00" }),
      ("refused streams", 20, { "GET \($0 * 2 + 1) :path=/wait" }),
      ("pings", 21, { _ in "PING" }), ("settings", 21, { _ in "SETTINGS 4=1" }),
      ("empty content", 100, { $0 == 0 ? "POST 1; DATA 1 0" : "DATA 1 0" }),
      ("parts of a block", 8, { $0 == 0 ? "RAW 1 1 1 82; RAW 9 0 1" : "RAW 9 0 1" }),
      ("parameters", 1, { "SETTINGS" + String(repeating: " 9=1", count: $0 * 32 + 32) }),
    ]
    for row in rows {
      let within = FramePeer(Self.bounds)
      #expect(!within.exchange(Self.frames(row.limit, row.frame)).contains("GOAWAY"), "\(row.name)")
      let beyond = FramePeer(Self.bounds)
      let output = beyond.exchange(Self.frames(row.limit * 4 + 1, row.frame))
      #expect(output.hasSuffix("ENHANCE_YOUR_CALM"), "\(row.name): \(output.suffix(60))")
      #expect(beyond.heads.count <= row.limit + 1, "\(row.name)")
      expectEqual(beyond.failures.last, "0 400", "\(row.name)")
      // Nothing is read or kept any more.
      beyond.feed([UInt8](repeating: 0, count: 1000))
      expectEqual(beyond.codec.bufferedBytes, 0, "\(row.name)")
    }
  }

  @Test func `streams that are reset cost no window, and more are allowed with time`() {
    let peer = FramePeer(Self.bounds)
    for id in stride(from: 1, to: 2000, by: 2) {
      if id % 20 == 1 { peer.pass(seconds: 1) }
      let output = peer.exchange("POST \(id); DATA \(id) 9000; RST \(id) 8")
      #expect(output.isEmpty || output.hasPrefix("WINDOW_UPDATE 0 "))
    }
    peer.pass(seconds: 1)
    // The ends of the oldest streams are forgotten: one is closed, why is unknown.
    expectEqual(peer.exchange("DATA 1999 1"), "RST_STREAM 1999 STREAM_CLOSED")
    expectEqual(peer.exchange("DATA 1 1"), "GOAWAY last=1999 PROTOCOL_ERROR")
  }

  @Test func `the contents of a connection share one limit in memory`() throws {
    let peer = FramePeer()
    _ = peer.exchange("POST 1")
    let head = try #require(peer.heads.first)
    let arrival = RequestArrival(
      start: .now(),
      connection: .init(number: nil, isNew: true, isSecure: false, isHTTP2: true),
      handshake: nil
    )
    // As many as have room, and four times as many.
    for count in [4, 16] {
      var requests = (0..<count).map { stream in
        IncomingRequest(stream: stream, head: head, arrival: arrival, handling: .play())
      }
      for _ in 0..<16 {
        for index in requests.indices {
          requests.append(Data(repeating: UInt8(index), count: 16_384), at: index)
          let memory = requests.reduce(0) { $0 + $1.body.memoryBytes }
          #expect(memory <= Spool.memoryBytesMax)
        }
      }
      for index in requests.indices {
        expectEqual(requests[index].body.finish(), Data(repeating: UInt8(index), count: 256 << 10))
      }
    }
  }

  @Test func `a request above a limit is answered, and no other suffers`() {
    let long = String(repeating: "a", count: 64)
    let rows = [
      ("GET 1 :path=/\(long)", "HEADERS 1 414; DATA 1 2 end"),
      ("GET 1 a=\(long) b=\(long) c=\(long)", "HEADERS 1 431; DATA 1 2 end"),
      ("GET 1 a=1 b=2 c=3 d=4 e=5", "HEADERS 1 431; DATA 1 2 end"),
      ("POST 1 content-length=17", "HEADERS 1 413; DATA 1 2 end; RST_STREAM 1 NO_ERROR"),
      ("POST 1; DATA 1 17; DATA 1 9", "HEADERS 1 413; DATA 1 2 end; RST_STREAM 1 NO_ERROR"),
      ("GET 1 expect=x", "HEADERS 1 417; DATA 1 2 end"), ("HEAD 1 expect=x", "HEADERS 1 417 end"),
    ]
    var limits = Limits()
    (limits.requestLineBytesMax, limits.headerBytesMax) = (64, 256)
    (limits.headerFieldsMax, limits.bodyBytesMax) = (8, 16)
    for (input, output) in rows {
      let peer = FramePeer(limits: limits)
      expectEqual(peer.exchange(input), output, "\(input)")
      expectEqual(peer.exchange("GET 3"), "ANSWER 3", "\(input)")
    }
  }

  @Test func `streams above the maximum are refused, and their fields are read`() {
    let peer = FramePeer(Self.bounds)
    let output = peer.exchange(Self.frames(12) { "GET \($0 * 2 + 1) :path=/wait" })
    expectEqual(output, "RST_STREAM 21 REFUSED_STREAM; RST_STREAM 23 REFUSED_STREAM")
    // The block of a refused stream adds a field to the table, to which the next request refers.
    expectEqual(
      peer.exchange("RAW 1 5 25 82868441066161612e7474; RST 1 8"),
      "RST_STREAM 25 REFUSED_STREAM"
    )
    expectEqual(peer.exchange("RAW 1 5 27 828684be"), "ANSWER 27")
    expectEqual(peer.heads.last?.headers["Host"], "aaa.tt")
  }
}
