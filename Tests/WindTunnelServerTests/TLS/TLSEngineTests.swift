import Mutations
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelWire

/// Both ends of TLS in memory, without a socket.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TLSKit.isThere, TLSKit.isMissing))
struct TLSEngineTests {
  @Test(arguments: [TLSVersion.v1_2, .v1_3], [Int.max, 1, 7])
  func `a conversation is the same in whatever pieces it comes`(version: TLSVersion, step: Int)
    throws
  {
    var pair = try TLSPair(
      TLSKit.client(version...version),
      TLSKit.server(),
      host: "api.example.test"
    )
    pair.talk(by: step)
    #expect(!pair.client.isHandshaking && !pair.server.isHandshaking)
    expectEqual(pair.server.serverName, "api.example.test")
    expectEqual(
      [pair.client, pair.server].map(\.version),
      ["TLSv\(version.rawValue)", "TLSv\(version.rawValue)"]
    )
    expectEqual(pair.client.applicationProtocol, "http/1.1")
    pair.client.write(pattern(3000))
    pair.server.write(pattern(40_000))
    pair.talk(by: step)
    expectEqual(pair.heardByServer, pattern(3000))
    expectEqual(pair.heardByClient, pattern(40_000))
    // One says that it has nothing more to say, and still hears the other.
    pair.client.endOutput()
    pair.talk(by: step)
    #expect(pair.server.inputEnded && !pair.client.inputEnded)
    pair.server.write([1, 2, 3])
    pair.server.endOutput()
    pair.talk(by: step)
    expectEqual(pair.heardByClient, pattern(40_000) + [1, 2, 3])
    #expect(pair.client.inputEnded)
    #expect(pair.client.feedEnd() && pair.server.feedEnd())
    #expect(pair.client.failure == nil && pair.server.failure == nil)
  }

  @Test func `data in the same bytes as the end of the TLS handshake is received`() throws {
    let pair = try TLSPair(TLSKit.client(), TLSKit.server(), host: "a.test")
    pair.client.start()
    _ = TLSPair.fed(TLSPair.taken(from: pair.client), to: pair.server)
    _ = TLSPair.fed(TLSPair.taken(from: pair.server), to: pair.client)
    pair.client.write(Array("hello".utf8))
    pair.client.endOutput()
    let tail = TLSPair.taken(from: pair.client)
    expectEqual(TLSPair.fed(tail, to: pair.server), Array("hello".utf8))
    #expect(pair.server.inputEnded && pair.server.failure == nil)
  }

  @Test func `an end without a word is told from one that was agreed on`() throws {
    var pair = try TLSPair(TLSKit.client(), TLSKit.server(), host: "a.test")
    #expect(!pair.server.feedEnd())
    expectEqual(pair.server.failure?.kind, .brokenOff)
    pair = try TLSPair(TLSKit.client(), TLSKit.server(), host: "a.test")
    pair.talk()
    pair.server.write(pattern(100))
    pair.talk()
    #expect(!pair.client.feedEnd())
    #expect(pair.client.failure == nil && !pair.client.inputEnded)
    expectEqual(pair.heardByClient, pattern(100))
  }

  @Test(arguments: [
    (Leaf(validity: .expired), "a.test", Symptom.serverCertificateHasBadDate, UInt8(45)),
    (Leaf(validity: .notYet), "a.test", .serverCertificateNotYetValid, 42),
    (
      Leaf(names: [HostName("b.test")].compactMap { $0 }), "a.test", .serverCertificateUntrusted, 42
    ),
    (
      Leaf(names: [HostName("::1")].compactMap { $0 }), "127.0.0.1", .serverCertificateUntrusted, 42
    ),
    (Leaf(issuer: .itself), "a.test", .serverCertificateUntrusted, 48),
    (Leaf(issuer: .stranger), "a.test", .serverCertificateHasUnknownRoot, 48),
    (Leaf(issuer: .stranger, sendsChain: false), "a.test", .serverCertificateHasUnknownRoot, 48),
    (
      Leaf(issuer: .intermediate, sendsChain: false), "a.test", .serverCertificateHasUnknownRoot, 48
    ),
  ])
  func `a certificate that does not hold is refused for its reason`(
    leaf: Leaf,
    host: String,
    symptom: Symptom,
    alert: UInt8
  ) throws {
    var pair = try TLSPair(TLSKit.client(), TLSKit.server(), host: host, leaf: leaf)
    pair.talk()
    expectEqual(pair.client.failure?.symptom, symptom, "\(pair.client.failure?.text ?? "-")")
    expectEqual(pair.server.failure?.kind, .alert(alert), "\(pair.server.failure?.text ?? "-")")
    pair.client.write([1])
    #expect(TLSPair.taken(from: pair.client).isEmpty)
  }

  @Test(arguments: [
    (Leaf(), "a.test"), (Leaf(), "127.0.0.1"), (Leaf(), "::1"), (Leaf(), "localhost"),
    (Leaf(issuer: .intermediate), "a.test"), (Leaf(), "xn--bcher-kva.example"),
    (Leaf(names: ["a.test", "b.test"].compactMap { HostName($0) }), "b.test"),
  ])
  func `a certificate that holds is taken`(leaf: Leaf, host: String) throws {
    var pair = try TLSPair(TLSKit.client(), TLSKit.server(), host: host, leaf: leaf)
    pair.talk()
    #expect(pair.client.failure == nil && !pair.client.isHandshaking)
  }

  @Test func `a client that knows another authority believes nothing`() throws {
    var pair = try TLSPair(
      TLSKit.client(trusting: CertificateAuthority()),
      TLSKit.server(),
      host: "a.test"
    )
    pair.talk()
    expectEqual(pair.client.failure?.symptom, .serverCertificateHasUnknownRoot)
  }

  @Test func `versions that do not meet end in an alert`() throws {
    var pair = try TLSPair(
      TLSKit.client(.v1_2 ... .v1_2),
      TLSKit.server(.v1_3 ... .v1_3),
      host: "a.test"
    )
    pair.talk()
    expectEqual(pair.server.failure?.kind, .unusable)
    // protocol_version.
    expectEqual(pair.client.failure?.kind, .alert(70))
    expectEqual(pair.client.failure?.symptom, .secureConnectionFailed)
  }

  @Test(arguments: [0, 5, 30, 100])
  func `one damaged byte ends it, after all that came before`(place: Int) throws {
    var pair = try TLSPair(TLSKit.client(), TLSKit.server(), host: "a.test")
    pair.talk()
    pair.server.write(pattern(50))
    pair.talk()
    pair.server.write(pattern(300))
    var record = TLSPair.taken(from: pair.server)
    record[place] ^= 0x10
    #expect(TLSPair.fed(record, to: pair.client).isEmpty)
    expectEqual(pair.heardByClient, pattern(50))
    expectEqual(pair.client.failure?.kind, .unusable)
    _ = TLSPair.fed(TLSPair.taken(from: pair.client), to: pair.server)
    if case .alert? = pair.server.failure?.kind {
    } else {
      Issue.record("no alert: \(pair.server.failure?.text ?? "-")")
    }
  }

  @Test func `whatever comes, an engine neither crashes nor grows`() throws {
    let (client, server) = (try TLSKit.client(), try TLSKit.server())
    var numbers = Generator(seed: 4)
    for round in 0..<600 {
      var pair = try TLSPair(client, server, host: "a.test")
      if round % 3 == 0 { pair.talk() }
      pair.client.start()
      var bytes = TLSPair.taken(from: pair.client)
      if bytes.isEmpty || round % 2 == 0 {
        bytes = (0..<Int.random(in: 1...2000, using: &numbers)).map { _ in numbers.byte() }
        // Half of them look like a record at first.
        if round % 4 == 0 { bytes.replaceSubrange(0..<min(3, bytes.count), with: [22, 3, 1]) }
      } else {
        for _ in 0...Int.random(in: 0...3, using: &numbers) {
          bytes[Int.random(in: bytes.indices, using: &numbers)] = numbers.byte()
        }
      }
      let engine = round % 5 == 0 ? pair.client : pair.server
      let heard = TLSPair.fed(bytes, to: engine, by: Int.random(in: 1...64, using: &numbers))
      #expect(heard.isEmpty)
      #expect(engine.pendingOutput < 20_000)
      engine.write([1, 2, 3])
      engine.endOutput()
      _ = engine.feedEnd()
      #expect(TLSPair.heard(by: engine).isEmpty)
    }
  }

  #if os(Linux)
    @Test func `thousands of handshakes leave nothing behind`() async {
      await #expect(processExitsWith: .success) {
        let (client, server) = (try TLSKit.client(), try TLSKit.server())
        func shake(_ times: Int) throws {
          for number in 0..<times {
            // Several hosts, and some handshakes that fail.
            let leaf = Leaf(validity: number % 7 == 0 ? .expired : .current)
            var pair = try TLSPair(client, server, host: "host\(number % 40).test", leaf: leaf)
            pair.talk()
            guard (pair.client.failure != nil) == (number % 7 == 0) else { exit(3) }
          }
        }
        func residentBytes() throws -> Int {
          let text = try String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8)
          return (Int(text.split(separator: " ")[1]) ?? 0) * 4096
        }
        try shake(200)
        let before = try residentBytes()
        try shake(1000)
        let growth = try residentBytes() - before
        // A connection that were not freed would take 10 kB and more.
        guard growth < 3_000_000 else {
          print("grown by \(growth) bytes")
          exit(4)
        }
      }
    }
  #endif
}

extension Generator {
  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }
}
