import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// Who is let in at a console's port.
@Suite struct ConsoleGateTests {
  private func head(_ text: String) throws -> RequestHead {
    var parser = RequestParser(limits: Limits())
    parser.feed(Array("\(text)\r\n\r\n".utf8))
    guard case .head(let head)? = parser.next() else {
      throw FormatError(source: "test", place: "", problem: "no head", fix: nil)
    }
    return head
  }

  private func refusal(
    _ gate: ConsoleGate,
    _ fields: String,
    from peer: String = "127.0.0.1"
  ) throws -> ConsoleGate.RejectionReason? {
    gate.refusal(of: try head("GET / HTTP/1.1\r\n\(fields)"), from: peer)
  }

  @Test(arguments: [
    "Host: 127.0.0.1:8080", "Host: localhost:8080", "Host: [::1]:8080",
    "Host: localhost:8080\r\nOrigin: http://localhost:8080",
  ])
  func `this machine is let in by its own names`(fields: String) throws {
    try expectNil(refusal(ConsoleGate(nil), fields))
  }

  @Test(arguments: [
    "Host: evil.example", "Host: 127.0.0.1.evil.example", "Host: 192.168.1.4",
    "Host: 127.0.0.1:8080\r\nOrigin: http://evil.example",
    "Host: 127.0.0.1:8080\r\nOrigin: http://127.0.0.1:9090",
    "Host: 127.0.0.1:8080\r\nOrigin: http://localhost:8080",
    "Host: 127.0.0.1:8080\r\nOrigin: null",
    "Host: 127.0.0.1:8080\r\nSec-Fetch-Site: cross-site",
  ])
  func `names and pages of others are not`(fields: String) throws {
    if case .stranger? = try refusal(ConsoleGate(nil), fields) {
    } else {
      Issue.record("\(fields) was let in")
    }
  }

  @Test func `one device is let in by its code, and no other`() throws {
    let gate = ConsoleGate(("192.168.1.4", "123456"))
    let host = "Host: 192.168.1.4:8080"
    try expectEqual(refusal(gate, host, from: "192.168.1.20"), .unpaired(takesCode: true))
    expectNil(gate.pair("654321", from: "192.168.1.20"))
    let cookie = try #require(gate.pair("123456", from: "192.168.1.20"))
    #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
    let pair = try #require(cookie.split(separator: ";").first)
    try expectNil(refusal(gate, "\(host)\r\nCookie: a=b; \(pair)", from: "192.168.1.20"))
    try expectEqual(refusal(gate, host, from: "192.168.1.20"), .unpaired(takesCode: false))
    try expectEqual(
      refusal(gate, "\(host)\r\nCookie: \(pair)x", from: "192.168.1.20"),
      .unpaired(takesCode: false)
    )
    expectNil(gate.pair("123456", from: "192.168.1.21"), "a second device")
    try expectNil(refusal(gate, "Host: localhost"), "this machine still is")
  }

  @Test func `guesses of an address end, and another gives the code`() {
    let gate = ConsoleGate(("192.168.1.4", "123456"))
    for guess in 0..<PeerAuthorizer.wrongCodesMax {
      expectNil(gate.pair("\(200_000 + guess)", from: "192.168.1.20"))
    }
    expectNil(gate.pair("123456", from: "192.168.1.20"))
    #expect(gate.pair("123456", from: "192.168.1.21") != nil)
    let peers = ["127.0.0.1", "::1", "192.168.1.4", "192.168.1.21", "192.168.1.20"]
    expectEqual(peers.map { gate.kind(of: $0) }, [.owner, .owner, .owner, .device, .unpaired])
  }

  @Test func `without a local network no other machine is`() throws {
    guard case .stranger? = try refusal(ConsoleGate(nil), "Host: localhost", from: "192.168.1.9")
    else {
      Issue.record("it was let in")
      return
    }
  }
}
