import Origins
import TestSupport
import WindTunnel

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// The start that ships as a cassette: its configurations are signed by an invented key, of which
/// this test has the private half.
@Suite struct ShippedStartTests {
  private static func cassette() throws -> Cassette {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return try Cassette(contentsOf: root.appending(path: "Cassettes/examples/startup.json"))
  }

  private static func texts(_ host: String) throws -> [Data] {
    try cassette().interactions.filter {
      $0.request.url.host == host && $0.request.url.path == "/configuration"
    }.compactMap { $0.response?.body.data }
  }

  private static func document(_ version: Int, deadline: Int) -> String {
    #"{"version":\#(version),"expires":4102444800,"layer":{"deadlineMilliseconds":\#(deadline)}}"#
  }

  @Test func `each server has the one that its publisher has signed, and the nearest another`()
    throws
  {
    let stand = try BootstrapStand()
    let (six, seven) = (
      try stand.signed(Self.document(6, deadline: 9000)),
      try stand.signed(Self.document(7, deadline: 8000))
    )
    try expectEqual(Self.texts("near.example.test"), [six, seven])
    try expectEqual(Self.texts("second.example.test"), [six])
    try expectEqual(Self.texts("third.example.test"), [six])
    let note = try Self.cassette().notes.first { $0.name.value == "_startup" }?.value
    let key = stand.publisher.publicKey.base64EncodedString()
    expectEqual(note?["publicKey"]?.stringValue, key)
  }

  @Test func `none of them is taken with any bit changed`() throws {
    let key = try Ed25519Key(try BootstrapStand().publisher.publicKey)
    for text in try Self.texts("near.example.test") {
      for bit in 0..<(text.count * 8) {
        var changed = text
        changed[bit / 8] ^= 1 << (bit % 8)
        #expect(throws: FetchRefusal.unsigned, "bit \(bit)") {
          try SignedConfiguration(changed, signedBy: [key])
        }
      }
    }
  }
}
