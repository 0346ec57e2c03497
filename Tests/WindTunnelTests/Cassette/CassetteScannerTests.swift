import Mutations
import TestSupport

@testable import WindTunnelCassettes
@testable import WindTunnelHTTP

@Suite struct CassetteScannerTests {
  /// How many seeds are tried; more by `WINDTUNNEL_FUZZ_SEEDS=1000`.
  static let seeds: Range<UInt64> = {
    let words = ProcessInfo.processInfo.environment["WINDTUNNEL_FUZZ_SEEDS"]
    return 0..<(words.flatMap { UInt64($0) } ?? 40)
  }()

  /// Interactions in spellings that nobody's writer has, and some that are wrong.
  static let odd = TestData.text("odd-interactions.txt").split(separator: "\n").map(String.init)

  private static func file(_ interactions: [String]) -> [UInt8] {
    Array(
      #"{"windtunnel":1,"_n":"\u00e9","interactions":[\#(interactions.joined(separator: ",\n"))]}"#
        .utf8
    )
  }

  @Test(arguments: odd)
  func `each odd spelling is to the scanner what it is to the tree`(interaction: String) {
    expectEqual(Self.odd.count, 92)
    let usual = #"{"request":{"url":"/"},"response":{"json":{}}}"#
    for list in [[interaction], [usual, interaction, usual], [interaction, usual]] {
      _ = CassetteByTree.agrees(Self.file(list), "odd")
    }
  }

  @Test func `each odd interaction is read as it is written down`() {
    let outcomes = Self.odd.map { text in
      let read = Result {
        let scan = try Self.scan(Data(Self.file([text])))
        if let refusal = scan.refusal { throw refusal }
        return try scan.interactions.map { "\(try InteractionWriter { _ in nil }.json($0))" }
      }
      return (try? read.get().joined()) ?? refusal { try read.get() }
    }
    expectEqual(outcomes.map { $0 + "\n" }.joined(), TestData.text("odd-interactions-read.txt"))
  }

  @Test(arguments: try TestData.rows("odd-frames.json", count: 18) as [String])
  func `the frame of a file is to the scanner what it is to the tree`(text: String) {
    _ = CassetteByTree.agrees(Array(text.utf8), "frame")
  }

  @Test(arguments: seeds)
  func `no mutation is read otherwise than by the tree, in value or in words`(seed: UInt64) {
    var generator = Generator(seed: seed)
    let generated = Array(generator.cassette().data())
    #expect(CassetteByTree.agrees(generated, "seed \(seed)"))
    let texts = [
      generated, Array(CassetteFormatTests.everySlot.utf8),
      Self.file((0..<2).map { _ in generator.pick(Self.odd) }),
    ]
    for round in 0..<20 {
      let text = generator.mutated(generator.pick(texts))
      _ = CassetteByTree.agrees(text, "seed \(seed), round \(round)")
    }
  }

  private static func scan(_ text: Data) throws -> CassetteScanner.Scan {
    try CassetteScanner.scan(text, source: "a.json") { Body(try CassetteByTree.sideFile($0)) }
  }

  @Test func `what our writer writes is read as it was`() throws {
    var generator = Generator(seed: 1)
    for _ in 0..<40 {
      let cassette = generator.cassette()
      let scan = try Self.scan(cassette.data())
      #expect(scan.refusal == nil)
      expectEqual(scan.interactions, cassette.interactions)
    }
    #expect(try Self.scan(Data(CassetteFormatTests.everySlot.utf8)).refusal == nil)
  }

  private static let usual = #"{"request":{"url":"/"},"response":{"json":{}}}"#

  @Test func `a key in another spelling is the same key`() throws {
    let odd = Self.usual.replacing("request", with: #"\u0072equest"#)
    let scan = try Self.scan(Data(Self.file([Self.usual, odd, Self.usual, odd])))
    #expect(Set(scan.interactions).count == 1 && scan.interactions.count == 4)
  }

  @Test func `behind the first that is none nothing is kept, and the text is proved still`() throws
  {
    let none = Array(repeating: "1", count: 10_000)
    let scan = try Self.scan(Data(Self.file([Self.usual] + none)))
    #expect(scan.interactions.count == 1 && scan.refusal != nil)
    func sentence(_ interactions: [String]) -> String {
      refusal { try Cassette(data: Data(Self.file(interactions)), source: "a.json") }
    }
    expectEqual(sentence(none), "a.json, interactions[0]: expected an object.")
    #expect(sentence([Self.usual] + none).hasPrefix("a.json, interactions[1]: "))
    #expect(sentence(none + ["x"]).contains("not JSON: 'x' cannot begin a value"))
  }

  @Test
  func `the scanner's reserved capacity stays below its maximum with interactions of any size`()
    throws
  {
    let body = String(repeating: "b", count: 16 << 20)
    let large = #"{"request":{"url":"/"},"response":{"text":"\#(body)"}}"#
    let list = Array(repeating: Self.usual, count: 64) + [large]
    let scan = try Self.scan(Data(Self.file(list)))
    expectEqual(scan.interactions.count, 65)
    #expect(scan.interactions.capacity < 2 * CassetteScanner.reservedMax)
  }

  @Test(arguments: seeds)
  func `a layout is given to a text as it is to its tree`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let json = generator.json(depth: 4)
    for before in JSON.Layout.all {
      let text = json.bytes(before)
      for layout in JSON.Layout.all {
        let laidOut = text.withUnsafeBufferPointer { layout.laidOut($0) }
        expectEqual(laidOut, json.bytes(layout), "seed \(seed), \(before.name) to \(layout.name)")
      }
    }
  }
}

extension Generator {
  /// A value in spellings of all kinds.
  fileprivate mutating func json(depth: Int) -> JSON {
    let leaves: [JSON] = [
      nil, true, false, .number("-1.50E+2"), .number("0"), "", "a b\n\"\\",
      .string(JSON.Text("é/", spelling: #"\u00e9\/"#)), "[{,: ]}", "\u{2028}é",
    ]
    let count = Int.random(in: 0...3, using: &self)
    switch Int.random(in: 0...(depth > 0 ? 3 : 0), using: &self) {
    case 0: return pick(leaves)
    case 1: return .array((0..<count).map { _ in json(depth: depth - 1) })
    default:
      return .object((0..<count).map { JSON.Member(JSON.Text("k\($0)\""), json(depth: depth - 1)) })
    }
  }
}
