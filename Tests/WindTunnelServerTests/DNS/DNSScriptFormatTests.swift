import Mutations
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

@Suite struct DNSScriptFormatTests {
  private static let text = TestData.text("names.json")

  @Test func `a script is read and written`() throws {
    let script = try DNSScript(data: Data(Self.text.utf8), source: "names.json")
    expectEqual(script.entries.map(\.name), ["api.example.com", "*.example.com", "*"])
    #expect(script.entries[0].type == .aaaa && script.entries[0].turn == .init(first: 1))
    expectEqual(script.entries[1].addresses, DNSResponderTests.own)
    #expect(script.entries[1].fault == .wrongID && script.entries[1].seconds == 60)
    expectEqual(
      script.entries[1].delay,
      Fault.Spread(.milliseconds(100), through: .milliseconds(900))
    )
    let again = try DNSScript(data: script.data(), source: "names.json")
    expectEqual(again, script)
    expectEqual(again.data(), script.data())
  }

  @Test(arguments: DNSExample.all) func `every example can be written`(example: DNSExample) throws {
    try expectEqual(DNSScript(data: example.script.data(), source: "e.json"), example.script)
  }

  @Test(arguments: try TestData.rows("refused-dns-entries.json", count: 14) as [(String, String)])
  func `what makes no sense is refused with its place`(entry: String, words: String) {
    let text = #"{"windtunnelDNS":1,"entries":[\#(entry)]}"#
    let error = #expect(throws: FormatError.self) {
      _ = try DNSScript(data: Data(text.utf8), source: "names.json")
    }
    #expect("\(error as Any)".contains("names.json, entries[0]\(words)"), "\(error as Any)")
  }

  @Test(arguments: [
    ("{}", "not a name server's script"), (#"{"windtunnelDNS":2,"entries":[]}"#, "version 2"),
    (#"{"windtunnelDNS":1,"entries":[]}"#, "at least one entry"),
    (#"{"windtunnelDNS":1}"#, "at least one entry"), ("[", ""),
  ])
  func `what is no script is refused`(text: String, words: String) {
    let error = #expect(throws: FormatError.self) {
      _ = try DNSScript(data: Data(text.utf8), source: "names.json")
    }
    #expect(words.isEmpty || "\(error as Any)".contains(words), "\(error as Any)")
  }

  @Test func `damaged scripts are read or refused`() {
    var generator = Generator(seed: 7)
    for _ in 0..<3000 {
      var bytes = Array(Self.text.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &generator) { bytes = generator.mutated(bytes) }
      do throws(FormatError) {
        let script = try DNSScript(data: Data(bytes), source: "s")
        var responder = DNSResponder(script)
        _ = responder.reply(to: DNSMessages.query("api.example.com"), over: .udp)
      } catch {
        #expect(!"\(error)".isEmpty)
      }
    }
  }

  @Test(
    arguments: [
      ("127.0.0.1", [127, 0, 0, 1]), ("0.0.0.0", [0, 0, 0, 0]), ("01.0.0.1", nil), ("1.2.3", nil),
      ("1.2.3.256", nil), ("+1.2.3.4", nil), ("", nil), ("::", [UInt8](repeating: 0, count: 16)),
      ("::1", [UInt8](repeating: 0, count: 15) + [1]),
      ("2001:db8::ff", [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [0xFF]),
      ("1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]),
      ("1:2:3:4:5:6:7", nil), ("1::2::3", nil), ("1:2:3:4:5:6:7:8::", nil), (":1", nil),
      ("::12345", nil), ("::g", nil), ("1:2:3:4:5:6:7:8:9", nil),
    ] as [(String, [UInt8]?)]
  )
  func `addresses are literals`(text: String, bytes: [UInt8]?) {
    expectEqual(DNSAddress(text)?.bytes, bytes)
    if let address = DNSAddress(text) { expectEqual(DNSAddress(address.description), address) }
  }
}
