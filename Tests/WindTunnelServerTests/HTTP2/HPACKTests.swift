import Mutations
import TestSupport
import WindTunnelHTTP

@testable import WindTunnelWire

extension HPACKDecoder {
  /// A decoder with the server's limits.
  init() { self.init(listBytesMax: 65_536, fieldsMax: 200) }

  mutating func decode(_ block: [UInt8]) throws(HPACKError) -> [HPACKField] {
    // In memory of its own size, so that a sanitizer notices a read behind it.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: block.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: block)
    return try decode(UnsafeRawBufferPointer(memory))
  }

  /// The fields of a block in hexadecimal digits, one a line; the error's name instead.
  mutating func lines(_ hex: String) -> String {
    do {
      return try decode([UInt8](Data(hex: hex))).map(\.line).joined(separator: "\n")
    } catch {
      if case .compression(let sentence) = error { return "! \(sentence)" }
      return "! list"
    }
  }
}

extension HPACKField {
  /// A field that is never indexed has an exclamation mark.
  fileprivate var line: String { "\(name): \(value)\(isNeverIndexed ? " !" : "")" }

  fileprivate init(line: Substring) {
    // The colon behind the first character is that of a pseudo-header field.
    let colon = line.dropFirst().firstIndex(of: ":") ?? line.endIndex
    self.init(String(line[..<colon]), String(line[colon...].dropFirst(2)))
  }
}

/// HPACK against the examples of RFC 7541 Appendix C and its rules.
@Suite struct HPACKTests {
  private static let request = ":method: GET\n:scheme: http\n:path: /\n:authority: www.example.com"
  private static let second = "\(request)\ncache-control: no-cache"
  private static let third = """
    :method: GET\n:scheme: https\n:path: /index.html\n:authority: www.example.com
    custom-key: custom-value
    """

  /// Blocks of one connection, and their lists or errors between bars.
  @Test(arguments: try TestData.rows("hpack-blocks.json", count: 22) as [(String, String, String)])
  func `blocks of one connection are read`(_: String, hex: String, lists: String) {
    var decoder = HPACKDecoder()
    let blocks = hex.split(separator: " ")
    let lists = lists.split(separator: "|", omittingEmptySubsequences: false)
    expectEqual(blocks.count, lists.count)
    for (block, list) in zip(blocks, lists) {
      let lines = decoder.lines(String(block))
      #expect(list.first == "!" ? lines.hasPrefix(list) : lines == list)
    }
  }

  @Test func `requests are written as in Appendix C`() {
    var encoder = HPACKEncoder()
    let blocks = [
      (Self.request, "828684418cf1e3c2e5f23a6ba0ab90f4ff"),
      (Self.second, "828684be5886a8eb10649cbf"),
      (Self.third, "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf"),
    ]
    for (lines, hex) in blocks {
      var bytes: [UInt8] = []
      encoder.encode(lines.split(separator: "\n").map(HPACKField.init(line:)), into: &bytes)
      expectEqual(bytes, [UInt8](Data(hex: hex)))
    }
  }

  @Test func `a field of the static table is written by its index, unless it is a secret`() {
    for (place, entry) in HPACKStaticTable.shared.entries.enumerated() {
      var bytes: [UInt8] = []
      bytes.appendHPACK(name: entry.field.name.uppercased(), value: entry.field.value)
      let isSecret = [23, 32, 49, 55].contains(place + 1)
      expectEqual(bytes, isSecret ? [0x1F, UInt8(place - 14), 0] : [0x80 | UInt8(place + 1)])
    }
  }

  /// The hashes are those of the tables of another implementation.
  @Test func `the tables of the appendices are complete`() throws {
    let hash = { (bytes: [UInt8]) in bytes.reduce(0 as UInt32) { $0 &* 31 &+ UInt32($1) } }
    let entries = HPACKStaticTable.shared.entries.map {
      HPACKField(field: $0.field, isNeverIndexed: false).line
    }
    expectEqual(hash(Array(entries.joined(separator: "\n").utf8)), 808_442_789)
    var encoded = [UInt8](repeating: 0, count: 583)
    let count = Array(0...UInt8.max).withUnsafeBufferPointer { bytes in
      encoded.withUnsafeMutableBufferPointer { HuffmanCode.shared.encode(bytes, into: $0) }
    }
    expectEqual(hash(Array(encoded.prefix(count ?? 0))), 3_651_222_258)
  }

  /// The sizes that a peer sets one behind another, and the updates before the next block.
  static let sizes: [([Int], String)] = [
    ([], ""), ([4096], ""), ([65_536], ""), ([0], "20"), ([100], "3f45"), ([100, 50], "3f13"),
    ([50, 100], "3f133f45"), ([100, 65_536], "3f453fe11f"), ([65_536, 0, 4096], "203fe11f"),
  ]

  @Test(arguments: sizes)
  func `a table size update is written once, and a decoder insists on it`(
    row: (sizes: [Int], updates: String)
  ) throws {
    var encoder = HPACKEncoder()
    var (strict, decoder) = (HPACKDecoder(), HPACKDecoder())
    for size in row.sizes {
      encoder.setTableBytesMax(size)
      strict.setTableBytesMax(size)
      decoder.setTableBytesMax(size)
    }
    for updates in [row.updates, ""] {
      var bytes: [UInt8] = []
      encoder.encode([HPACKField(":method", "GET")], into: &bytes)
      expectEqual(bytes, [UInt8](Data(hex: updates)) + [0x82])
      try expectEqual(decoder.decode(bytes).map(\.line), [":method: GET"])
    }
    let smallest = row.sizes.min() ?? 4096
    var other = strict
    #expect(strict.lines("82").hasPrefix(smallest < 4096 ? "! A block does" : ":method: GET"))
    #expect(other.lines("3f1482").hasPrefix(smallest < 51 ? "! A table of 51" : ":method: GET"))
  }

  @Test func `a list above a limit is refused, and the table is in step`() throws {
    // An entry of 37 octets, written and referred to.
    let blocks: [(hex: String, octets: Int, count: Int)] = [
      ("4002616103626262bebe", 111, 3), ("bebebebe", 148, 4), ("4002616103626262bfbe", 111, 3),
    ]
    for (octets, count) in [(111, 3), (110, 3), (111, 2), (148, 4), (.max, 3)] {
      var decoder = HPACKDecoder(listBytesMax: octets, fieldsMax: count)
      for block in blocks {
        let fields = [String](repeating: "aa: bbb", count: block.count).joined(separator: "\n")
        let isRefused = block.octets > octets || block.count > count
        expectEqual(decoder.lines(block.hex), isRefused ? "! list" : fields)
      }
    }
    var decoder = HPACKDecoder()
    let bomb = "40016103626262" + String(repeating: "be", count: 200_000)
    expectEqual(decoder.lines(bomb), "! list")
    expectEqual(decoder.lines("be"), "a: bbb")
  }

  /// The number of blocks, and the seed.
  private static let effort: (count: UInt64, seed: UInt64) = {
    let setting = { ProcessInfo.processInfo.environment[$0].flatMap { UInt64($0) } }
    let count = setting("WINDTUNNEL_FUZZ") ?? (Tier.includesWorld ? 20_000 : 1000)
    return (count, setting("WINDTUNNEL_FUZZ_FROM") ?? 1)
  }()

  /// `WINDTUNNEL_FUZZ=1000000` tries so many blocks, `WINDTUNNEL_FUZZ_FROM=4711` begins with a seed.
  @Test(.bothTiers)
  func `random lists are read as they were written, and harmed ones are bounded`() throws {
    let names = [":path", "cookie", "x-a", "content-type", "x-a-name-of-20-bytes", "\u{EF80}", ""]
    let long = [String(repeating: "v", count: 300), String(repeating: "<>^`", count: 20)]
    let values =
      long + ["", "/", "gzip, deflate", "\u{EF81}", "a\u{323}\u{307}", "a\u{307}\u{323}"]
    for seed in Self.effort.seed..<Self.effort.seed + (Self.effort.count + 7) / 8 {
      var numbers = Generator(seed: seed)
      var encoder = HPACKEncoder()
      var whole = HPACKDecoder()
      var harmed = HPACKDecoder(listBytesMax: 1000, fieldsMax: 8)
      for _ in 0..<8 {
        if numbers.next() % 4 == 0 {
          let size = Int.random(in: 0...5000, using: &numbers)
          encoder.setTableBytesMax(size)
          whole.setTableBytesMax(size)
        }
        let fields = (0..<Int.random(in: 0...8, using: &numbers)).map { _ in
          let name = numbers.pick(names)
          let isSecret = name == "cookie" || numbers.next() % 8 == 0
          return HPACKField(name, numbers.pick(values), isNeverIndexed: isSecret)
        }
        var bytes: [UInt8] = []
        encoder.encode(fields, into: &bytes)
        // By bytes: two of the values are equal strings.
        let (lines, written) = try (whole.decode(bytes).map(\.line), fields.map(\.line))
        #expect(lines.elementsEqual(written) { $0.utf8.elementsEqual($1.utf8) }, "seed \(seed)")
        // A block that is refused is none of these.
        let read = (try? harmed.decode(numbers.mutated(bytes))) ?? []
        let octets = read.reduce(0) { $0 + $1.line.unicodeScalars.count + 28 }
        #expect(read.count <= 8 && octets <= 1000, "seed \(seed)")
      }
    }
  }
}
