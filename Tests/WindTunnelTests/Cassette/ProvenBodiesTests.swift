import TestSupport

@testable import WindTunnelCassettes

/// A side file is hashed once a process, and refused as soon as it is another.
@Suite struct ProvenBodiesTests {
  private static func body(_ byte: UInt8, count: Int = 1000) -> (data: Data, name: String) {
    let data = Data(repeating: byte, count: count)
    return (data, SHA256.hexadecimal(data))
  }

  @Test func `the same bytes are hashed once`() {
    var proven = ProvenBodies()
    let (data, name) = Self.body(1)
    var hashed = 0
    for _ in 0..<3 {
      let found = proven.prove(data, as: name) { data in
        hashed += 1
        return SHA256.hexadecimal(data)
      }
      expectEqual(found, data)
    }
    expectEqual(hashed, 1)
  }

  @Test func `other bytes under a known name are refused, and known ones still proven`() {
    var proven = ProvenBodies()
    let (data, name) = Self.body(1)
    expectEqual(proven.prove(data, as: name), data)
    expectNil(proven.prove(Self.body(2).data, as: name))
    expectNil(proven.prove(data.dropLast(), as: name))
    expectEqual(proven.prove(data, as: name), data)
  }

  @Test func `bytes that were refused are proven by nobody's word`() {
    var proven = ProvenBodies()
    let (data, name) = Self.body(1)
    expectNil(proven.prove(Self.body(2).data, as: name))
    expectNil(proven.prove(Self.body(2).data, as: name))
    expectEqual(proven.prove(data, as: name), data)
  }

  @Test func `no more is kept than the limit, the oldest go first`() {
    var proven = ProvenBodies()
    let half = ProvenBodies.bytesMax / 2
    let large = (0..<3).map { Data(repeating: $0, count: half) }
    var hashed: [Int] = []
    func prove(_ number: Int) {
      // A word of its own for each is enough here.
      let found = proven.prove(large[number], as: "\(number)") { _ in
        hashed.append(number)
        return "\(number)"
      }
      expectEqual(found, large[number])
    }
    for number in [0, 1, 0, 2, 1, 2, 0] { prove(number) }
    expectEqual(hashed, [0, 1, 2, 0])
    let tooLarge = Data(count: ProvenBodies.bytesMax + 1)
    expectEqual(proven.prove(tooLarge, as: "large") { _ in "large" }, tooLarge)
    prove(2)
    expectEqual(hashed, [0, 1, 2, 0])
  }

  @Test func `two tests that open a cassette share what its side file holds`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("users.json")
    // Such bytes stand in no other test's side file.
    let content = Body(String(repeating: "shared by two", count: 30_000))
    try Cassette([Interaction(Request("GET", "/large"), Response(body: content))]).write(to: file)
    func place(_ cassette: Cassette) -> UInt? {
      cassette.interactions.first?.response?.body.data.withUnsafeBytes {
        $0.baseAddress.map { UInt(bitPattern: $0) }
      }
    }
    let (one, other) = (try Cassette(contentsOf: file), try Cassette(contentsOf: file))
    #expect(place(one) != nil)
    expectEqual(place(one), place(other))
  }
}
