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
  private static let response = """
    cache-control: private\ndate: Mon, 21 Oct 2013 20:13:21 GMT\nlocation: https://www.example.com
    """
  private static let last = """
    :status: 200\n\(response.replacing(":21 GMT", with: ":22 GMT"))\ncontent-encoding: gzip
    set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1
    """

  /// Blocks of one connection, and their lists or errors between bars.
  static let blocks: [(String, hex: String, lists: String)] = [
    (
      "C.2",
      "400a637573746f6d2d6b65790d637573746f6d2d686561646572 040c2f73616d706c652f70617468 "
        + "100870617373776f726406736563726574 82",
      "custom-key: custom-header|:path: /sample/path|password: secret !|:method: GET"
    ),
    (
      "C.3",
      "828684410f7777772e6578616d706c652e636f6d 828684be58086e6f2d6361636865 "
        + "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565",
      "\(request)|\(second)|\(third)"
    ),
    (
      "C.5, behind the size update to 256",
      "3fe1014803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120"
        + "474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d 4803333037c1c0bf "
        + "88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f"
        + "6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b"
        + "2076657273696f6e3d31",
      ":status: 302\n\(response)|:status: 307\n\(response)|\(last)"
    ),
    (
      "C.6, behind the size update to 256",
      "3fe101488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863"
        + "c78f0b97c8e9ae82ae43d3 4883640effc1c0bf "
        + "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335"
        + "dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007",
      ":status: 302\n\(response)|:status: 307\n\(response)|\(last)"
    ), ("an empty block, and updates alone", "- 20 203fe11f82", "||:method: GET"),
    (
      "a name is evicted by the insertion that refers to it", "3f044001610162 7e0163be bf",
      "a: b|a: c\na: c|! There is no entry 63"
    ),
    (
      "an entry larger than the table empties it", "3f0440016101624001610a30313233343536373839 be",
      "a: b\na: 0123456789|! There is no entry 62"
    ), ("octets that are not UTF-8", "0001610261ff", "a: a\u{EFFF}"),
    ("index 0", "80", "! There is no entry 0"), ("index 62 of none", "be", "! There is no entry"),
    ("an integer of six bytes", "ff808080808001", "! An integer is too large"),
    ("an integer above 2^31", "ff8080808010", "! An integer is too large"),
    ("a long integer", "ff8080808000", "! There is no entry 127"),
    ("a cut integer", "ff80", "! A block ends within an integer"),
    ("a cut name", "40", "! A block ends before a string"),
    ("a cut value", "0001610261", "! A block ends within a string"),
    ("a huge string", "007fffffffff06", "! A block ends within a string"),
    ("padding of eight bits", "00016181ff", "! A Huffman string"),
    ("padding that is not ones", "0001618118", "! A Huffman string"),
    ("the end of a string in it", "00016184ffffffff", "! A Huffman string"),
    ("an update behind a field", "8220", "! A table size update follows"),
    ("an update above 4096", "3fe21f", "! A table of 4097 bytes exceeds"),
  ]

  @Test(arguments: blocks)
  func `blocks of one connection are read`(row: (String, hex: String, lists: String)) {
    var decoder = HPACKDecoder()
    let blocks = row.hex.split(separator: " ")
    let lists = row.lists.split(separator: "|", omittingEmptySubsequences: false)
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
