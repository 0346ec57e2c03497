import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

@Suite struct DNSResponderTests {
  static let own = [DNSAddress("127.0.0.1"), DNSAddress("::1")].compactMap(\.self)

  private func reply(
    _ fault: DNSFault,
    over transport: DNSResponder.Transport = .udp
  ) -> DNSResponder.Reply {
    let entry = DNSEntry("*", addresses: fault.bearsAddresses ? Self.own : [], fault: fault)
    var responder = DNSResponder(DNSScript([entry]))
    return responder.reply(to: DNSMessages.query("a.test"), over: transport)
  }

  /// The bytes of an answer's header behind the id.
  private func header(_ reply: DNSResponder.Reply) -> [UInt8]? {
    reply.bytes.map { Array($0[2..<8]) }
  }

  @Test func `a name has the addresses of the type that is asked for`() {
    var responder = DNSResponder(DNSScript([DNSEntry("a.test", addresses: Self.own, seconds: 300)]))
    let four = DNSMessages.query("A.test")
    let reply = responder.reply(to: four, over: .udp)
    let head: [UInt8] = [0xBE, 0xEF, 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]
    let record: [UInt8] = [0xC0, 0x0C, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 127, 0, 0, 1]
    expectEqual(reply.bytes, head + Array(four[12...]) + record)
    #expect(reply.delay == .zero && !reply.closes)
    let six = DNSMessages.query("a.test", 28)
    let answer = responder.reply(to: six, over: .tcp).bytes ?? []
    expectEqual(DNSMessages.records(answer, to: six), [[UInt8](repeating: 0, count: 15) + [1]])
    // No error, and nothing of that type.
    let mail = DNSMessages.query("a.test", 15)
    expectEqual(
      DNSMessages.records(responder.reply(to: mail, over: .udp).bytes ?? [], to: mail),
      []
    )
    // A name of nobody's.
    let other = responder.reply(to: DNSMessages.query("b.test"), over: .udp)
    expectEqual(header(other), [0x85, 0x83, 0, 1, 0, 0])
    expectEqual(other.decision?.line, "b.test A 1: nxdomain")
    expectEqual(reply.decision?.line, "a.test A 1: 127.0.0.1")
  }

  @Test(arguments: [
    (DNSFault.nxdomain, UInt8(3)), (.nodata, 0), (.servfail, 2), (.refused, 5), (.formerr, 1),
    (.notimp, 4),
  ])
  func `a code is the header's`(fault: DNSFault, code: UInt8) {
    for transport: DNSResponder.Transport in [.udp, .tcp] {
      expectEqual(header(reply(fault, over: transport)), [0x85, 0x80 | code, 0, 1, 0, 0])
    }
  }

  @Test func `packets are wrong in their own ways`() {
    let query = DNSMessages.query("a.test")
    #expect(reply(.drop).bytes == nil && !reply(.drop, over: .tcp).closes)
    let wrong = reply(.wrongID).bytes ?? []
    expectEqual(wrong.prefix(2), [0x41, 0xEF])
    expectEqual(DNSMessages.records(wrong, to: query), [[127, 0, 0, 1]])
    for fault in [DNSFault.truncated, .truncatedWithoutTCP] {
      expectEqual(header(reply(fault)), [0x87, 0x80, 0, 1, 0, 0])
    }
    let whole = reply(.truncated, over: .tcp)
    #expect(DNSMessages.records(whole.bytes ?? [], to: query) == [[127, 0, 0, 1]] && !whole.closes)
    let closed = reply(.truncatedWithoutTCP, over: .tcp)
    #expect(closed.bytes == nil && closed.closes)
    let cut = reply(.cutPacket).bytes ?? []
    expectNil(DNSMessages.records(cut, to: query))
    expectEqual(DNSMessages.records(cut + [0, 1], to: query), [[127, 0, 0, 1]])
    expectEqual(reply(.malformed).bytes, [0xBE, 0xEF, 0xFF, 0xFF, 0xFF])
    expectEqual(DNSMessages.records(reply(.cnameLoop).bytes ?? [], to: query), [[0xC0, 0x0C]])
  }

  @Test func `the first entry whose turn it is answers, name by name and type by type`() {
    let script = DNSScript([
      DNSEntry("*.a.test", type: .aaaa, fault: .drop),
      DNSEntry("*.a.test", turn: .init(first: 1), fault: .servfail),
      DNSEntry("x.a.test", turn: .init(attempt: 3), fault: .refused),
      DNSEntry("*.a.test", addresses: Self.own, delay: .seconds(2)),
    ])
    var responder = DNSResponder(script)
    let asked = ["x.a.test", "x.a.test", "y.a.test", "X.a.test", "x.a.test", "a.test"]
    let lines = asked.map { name in
      responder.reply(to: DNSMessages.query(name), over: .udp).decision?.line
    }
    expectEqual(
      lines,
      [
        "x.a.test A 1: servfail", "x.a.test A 2: 127.0.0.1 after 2000 ms",
        "y.a.test A 1: servfail", "x.a.test A 3: refused", "x.a.test A 4: 127.0.0.1 after 2000 ms",
        "a.test A 1: nxdomain",
      ]
    )
    let six = responder.reply(to: DNSMessages.query("x.a.test", 28), over: .udp)
    #expect(six.decision?.line == "x.a.test AAAA 1: drop" && six.bytes == nil)
  }

  @Test func `a delay is a length, or a range`() {
    let fixed = DNSEntry("a.test", addresses: Self.own, delay: .milliseconds(100))
    let range = Fault.Spread.around(.milliseconds(100), jitter: .milliseconds(50))
    let drawn = DNSEntry("a.test", addresses: Self.own, delay: range)
    expectEqual(fixed.delay, .exactly(.milliseconds(100)))
    #expect(drawn.delay == range && fixed != drawn)
    expectNil(DNSEntry("a.test", addresses: Self.own).delay)
  }

  @Test func `draws belong to a name, and an entry that is added shifts none`() {
    let flaky = DNSEntry(
      "*",
      turn: .init(probability: 0.5),
      addresses: Self.own,
      delay: Fault.Spread(.zero, through: .seconds(1))
    )
    let names = ["a.test", "b.test"]
    func told(_ entries: [DNSEntry], seed: UInt64, _ names: [String]) -> [String: [String]] {
      var responder = DNSResponder(DNSScript(entries), seed: seed)
      var lines: [String: [String]] = [:]
      for _ in 1...40 {
        for name in names {
          let decision = responder.reply(to: DNSMessages.query(name), over: .udp).decision
          lines[name, default: []].append(
            "\(decision?.entry?.fault as Any) \(decision?.delay ?? .zero)"
          )
        }
      }
      return lines
    }
    let alone = told([flaky], seed: 7, names)
    expectEqual(told([flaky], seed: 7, names.reversed()), alone)
    expectEqual(told([DNSEntry("c.test", fault: .drop), flaky], seed: 7, names), alone)
    #expect(told([flaky], seed: 8, names) != alone)
    #expect(alone["a.test"] != alone["b.test"])
    let zero = alone["a.test"]?.count { $0.hasSuffix(" 0.0 seconds") } ?? 0
    #expect((8...32).contains(zero), "\(zero)")
  }

  @Test func `an answer that is too long for UDP is asked for by TCP`() {
    let many = (1...40).compactMap { DNSAddress("127.0.0.\($0)") }
    var responder = DNSResponder(DNSScript([DNSEntry("*", addresses: many)]))
    let query = DNSMessages.query("a.test")
    expectEqual(header(responder.reply(to: query, over: .udp)), [0x87, 0x80, 0, 1, 0, 0])
    let whole = responder.reply(to: query, over: .tcp).bytes ?? []
    expectEqual(DNSMessages.records(whole, to: query)?.count, 40)
  }

  @Test func `what is no usual question is refused by its code`() {
    var responder = DNSResponder(DNSScript([DNSEntry("*", addresses: Self.own)]))
    var update = DNSMessages.query("a.test")
    update[2] = 5 << 3
    expectEqual(header(responder.reply(to: update, over: .udp)), [0xAC, 0x84, 0, 1, 0, 0])
    let half = Array(DNSMessages.query("a.test").dropLast(1))
    expectEqual(
      responder.reply(to: half, over: .udp).bytes,
      [0xBE, 0xEF, 0x80, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    )
    expectNil(responder.reply(to: [1, 2, 3], over: .udp).bytes)
  }

  @Test func `every example has a name of its own and goes wrong`() {
    expectEqual(Set(DNSExample.all.map(\.name)).count, DNSExample.all.count)
    expectEqual(DNSExample.all.count, DNSFault.allCases.count + 7)
    let good = DNSScript([DNSEntry("*", addresses: Self.own)])
    for example in DNSExample.all { #expect(example.script != good) }
  }
}
