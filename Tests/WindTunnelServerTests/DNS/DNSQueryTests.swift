import Mutations
import TestSupport

@testable import WindTunnelServer

@Suite struct DNSQueryTests {
  @Test func `a question is read`() throws {
    // What follows it, such as EDNS, is not looked at.
    let query = try DNSQuery(DNSMessages.query("Api.EXAMPLE.com", 28, extra: [0, 0, 41]))
    #expect(query.id == 0xBEEF && query.opcode == 0 && query.wantsRecursion)
    #expect(query.name == "api.example.com" && query.typeName == "AAAA" && query.recordClass == 1)
    // Resolvers compare the question's case.
    expectEqual(query.question, Array(DNSMessages.query("Api.EXAMPLE.com", 28)[12...]))
    try expectEqual(DNSQuery(DNSMessages.query("", 65)).name, "")
    try expectEqual(DNSQuery(DNSMessages.query("", 65)).typeName, "TYPE65")
    try expectEqual(DNSQuery(DNSMessages.query("a b.c", 1)).name, "a\\032b.c")
  }

  @Test func `a name and its labels have their limits`() throws {
    let label = String(repeating: "a", count: 63)
    let longest = "\(label).\(label).\(label).\(String(repeating: "b", count: 61))"
    try expectEqual(DNSQuery(DNSMessages.query(longest)).name, longest)
    #expect(throws: DNSQuery.ParseError.malformed(id: 0xBEEF, opcode: 0)) {
      _ = try DNSQuery(DNSMessages.query(longest + "b"))
    }
    #expect(throws: DNSQuery.ParseError.malformed(id: 0xBEEF, opcode: 0)) {
      _ = try DNSQuery(DNSMessages.query(label + "a"))
    }
  }

  @Test func `what is no question is not answered, and half a one is refused`() throws {
    let whole = DNSMessages.query("api.example.com")
    for count in 0..<whole.count {
      let expected: DNSQuery.ParseError =
        count < 12 ? .silence : .malformed(id: 0xBEEF, opcode: 0)
      #expect(throws: expected) { _ = try DNSQuery(Array(whole.prefix(count))) }
    }
    var answer = whole
    answer[2] |= 0x80
    #expect(throws: DNSQuery.ParseError.silence) { _ = try DNSQuery(answer) }
    for count: UInt8 in [0, 2] {
      var several = whole
      several[5] = count
      #expect(throws: DNSQuery.ParseError.malformed(id: 0xBEEF, opcode: 0)) {
        _ = try DNSQuery(several)
      }
    }
    // A pointer to itself.
    var loop = whole
    (loop[12], loop[13]) = (0xC0, 12)
    #expect(throws: DNSQuery.ParseError.malformed(id: 0xBEEF, opcode: 0)) { _ = try DNSQuery(loop) }
  }

  @Test func `whatever comes is read or refused, and answered in kind`() {
    var generator = Generator(seed: 20_261_121)
    let types: [UInt16] = [1, 28, 65]
    for example in DNSExample.all {
      var responder = DNSResponder(example.script, seed: 3)
      for _ in 0..<2000 {
        var bytes = DNSMessages.query(
          generator.pick(["a.example", "", "x.y.z.example.com"]),
          generator.pick(types)
        )
        for _ in 0..<Int.random(in: 0...3, using: &generator) { bytes = generator.mutated(bytes) }
        let reply = responder.reply(to: bytes, over: generator.pick([.udp, .tcp]))
        guard let answer = reply.bytes else { continue }
        // Never an answer to an answer, never more than UDP has room for, and never another's id.
        #expect(bytes.count >= 12 && bytes[2] & 0x80 == 0)
        #expect(answer.count <= DNSMessage.udpBytesMax && answer.count >= 5)
        expectEqual(answer[1], bytes[1])
      }
    }
  }
}
