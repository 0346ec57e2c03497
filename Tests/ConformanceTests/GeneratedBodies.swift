import Foundation
import WindTunnel

/// A body as an origin sends it, made from its number alone.
struct Sample: Sendable {
  /// The path that it is found under.
  var path: String
  /// What goes over the wire: in its content coding, without transfer coding.
  var sent: Data
  /// What it is without its content coding.
  var plain: Data
  var type: String
  var isPacked = false
  var isChunked = false

  /// The whole answer of an origin.
  var answer: Data {
    var head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n"
    if isPacked { head += "Content-Encoding: gzip\r\n" }
    guard isChunked else { return Data("\(head)Content-Length: \(sent.count)\r\n\r\n".utf8) + sent }
    var body = Data()
    var rest = sent[...]
    while !rest.isEmpty {
      let piece = rest.prefix(1 + rest.count / 3)
      rest = rest.dropFirst(piece.count)
      body += Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8)
    }
    return Data("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8) + body + Data("0\r\n\r\n".utf8)
  }
}

extension Sample {
  /// Two hundred, from nothing to 8 MiB.
  static let all = (0..<200).map(Sample.init)

  /// A body of every sort in turn. Around the sizes at which something changes there is one to each
  /// side: an empty one, a read, a slice of the server's, a side file.
  init(_ number: Int) {
    var draws = Draws(
      seed: 1,
      scenario: "bodies",
      lane: .deck,
      key: "",
      ordinal: number,
      rule: ""
    ).numbers
    let large: [Int: Int] = [
      3: 8 << 20, 7: 1 << 20, 11: 256 << 10, 15: (256 << 10) - 1, 19: (64 << 10) + 1, 23: 64 << 10,
      27: 16 << 10, 31: 1,
    ]
    let size = large[number] ?? [0, 1, 2, 17, 100, 1000, 4000, 9000][draws(8)] + draws(50)
    switch number < 4 && number != 3 ? -1 : number % 4 {
    case -1: (plain, type) = (Data(), "text/plain")
    case 0: (plain, type) = (Self.text(size, &draws), "text/plain; charset=utf-8")
    case 1: (plain, type) = (Self.json(size, &draws), "application/json")
    case 2:
      let isText = draws(2) == 0
      plain = isText ? Self.text(size, &draws) : Self.json(size, &draws)
      (type, isPacked) = (isText ? "text/html" : "application/json", true)
    default:
      // Words of eight bytes, so that eight mebibytes are made in no time.
      let words = (0..<size / 8 + 1).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
      plain = words.withUnsafeBufferPointer { Data(buffer: $0) }.prefix(size)
      type = "application/octet-stream"
    }
    sent = isPacked ? Self.gzip(plain) : plain
    isChunked = draws(3) == 0
    path = "/\(number)"
  }

  private static func text(_ size: Int, _ draws: inout Numbers) -> Data {
    let words = [
      "plain", "words ", "\r\n", "\n", "\t", "é", "日本", "👩‍👩‍👧", "e\u{301}", "\u{FEFF}", "<b>&amp;</b>",
      "a=b&c=d",
      "%41", "\\u0041", "\"", "'", "data: x\n\n", "\u{0}", "\u{7F}", "--boundary\r\n", "{", "]",
    ].map { Data($0.utf8) }
    // No UTF-8: a lone continuation, a cut character, a surrogate.
    let bad = [Data([0x80]), Data([0xE2, 0x82]), Data([0xED, 0xA0, 0x80]), Data([0xFF])]
    let all = draws(3) == 0 ? words + bad : words
    var text = Data()
    while text.count < size { text += all[draws(all.count)] }
    return text
  }

  /// JSON that no writer writes, and some that is none.
  private static func json(_ size: Int, _ draws: inout Numbers) -> Data {
    let values = [
      "1", "1.0", "-0", "1e5", "1E+2", "0.10", "12345678901234567890", "1.7976931348623157e309",
      #""""#, #""Ad\u0061""#, #""\/\b\f\n""#, #""\uD83D\uDE00""#, #""\ud800""#, #""é""#, "true",
      "null",
      "[ ]", "{ }", "[1 ,2]", "{\"k\" :1,\"k\":2}", "[[[[]]]]", "\"\u{7F}\"",
    ]
    let names = [#""a""#, #""b""#, #""a""#, #""\u0061""#, #""""#, #""é\t""#]
    let (colon, comma) = ([":", " : ", ": "][draws(3)], [",", ", ", ",\n  ", "\r\n,"][draws(4)])
    var members: [String] = []
    var count = 2
    while count < size {
      let member = names[draws(names.count)] + colon + values[draws(values.count)]
      members.append(member)
      count += member.utf8.count + comma.utf8.count
    }
    let object = ["{", "{\n  ", "{ "][draws(3)] + members.joined(separator: comma) + "}"
    let wrapped = [
      object, object + "\n", " \t\(object)\r\n", "\u{FEFF}\(object)", "[\(object),\(object)]",
      "\(object)\n\(object)\n", "{\"a\":NaN,\"b\":\(object)}", "\(object.dropLast())",
      "[-Infinity]",
      ")]}',\n\(object)", "// no\n\(object)", "\"only a text\"", " 42 ",
    ]
    return Data(wrapped[draws(wrapped.count)].utf8)
  }

  /// gzip in stored blocks (RFC 1951 §3.2.4): nothing is compressed, but the wrapping is real.
  private static func gzip(_ data: Data) -> Data {
    func littleEndian(_ value: some FixedWidthInteger, _ count: Int) -> Data {
      Data((0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }
    var blocks = Data()
    var rest = data[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      blocks.append(rest.isEmpty ? 1 : 0)
      blocks += littleEndian(UInt16(block.count), 2) + littleEndian(~UInt16(block.count), 2) + block
    } while !rest.isEmpty
    // RFC 1952 §8.
    let crc = ~data.reduce(0xFFFF_FFFF as UInt32) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in
        crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1
      }
    }
    return Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) + blocks + littleEndian(crc, 4)
      + littleEndian(UInt32(data.count), 4)
  }
}

/// The draws of a body, one after the other.
struct Numbers {
  let draws: Draws
  private var next = 0

  init(_ draws: Draws) { self.draws = draws }

  /// The next one below a bound.
  mutating func callAsFunction(_ bound: Int) -> Int {
    next += 1
    return Int(draws.bits(next) >> 1) % bound
  }
}

extension Draws {
  fileprivate var numbers: Numbers { Numbers(self) }
}
