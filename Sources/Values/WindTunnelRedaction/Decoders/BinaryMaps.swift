internal import Foundation

/// A decoder of maps in CBOR (RFC 8949) and MessagePack.
///
/// These formats count entries rather than bytes, so changing a string affects only its own head.
struct BinaryMaps: Decoder, Sendable {
  /// Whether bytes may begin with a map that has members, or with a CBOR tag.
  static func mayBegin(_ bytes: Bytes) -> Bool {
    bytes.first.map { 0xA1...0xBF ~= $0 || 0x81...0x8F ~= $0 || $0 == 0xD9 } ?? false
  }

  /// An item of which the head was read.
  enum Item {
    case content(Int, isText: Bool)
    /// A list or map; without a count, it ends with a stop code (RFC 8949 §3.2.1).
    case items(Int?, isMap: Bool)
    case chunks(isText: Bool), stop
    case other(Int)
  }

  /// The first byte of a string shorter than `most`, and the first byte of a string with a separate
  /// length.
  typealias Head = (short: UInt8, most: Int, long: UInt8)

  fileprivate let item: @Sendable (inout ByteReader) -> Item?
  fileprivate let head: @Sendable (_ isText: Bool) -> Head

  /// The maximum nesting of decoded items.
  private static let depthMax = 64

  func spans(in bytes: Bytes) -> [Span]? {
    var reader = Reader(bytes: ByteReader(bytes: bytes), item: item)
    // A body may be a sequence of items (RFC 8742).
    while !reader.bytes.isAtEnd { guard reader.read(nil, depth: 0) else { return nil } }
    return reader.spans
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    var reader = ByteReader(bytes: bytes, place: span.range.lowerBound)
    let isText =
      switch item(&reader) {
      case .content(_, isText: false), .chunks(isText: false): false
      default: true
      }
    let (count, head) = (meaning.count, head(isText))
    if count < head.most { return [head.short | UInt8(count)] + meaning }
    let size = count < 1 << 8 ? 0 : count < 1 << 16 ? 1 : 2
    return [head.long + UInt8(size)] + ByteReader.bigEndian(count, 1 << size) + meaning
  }

  private struct Reader {
    var bytes: ByteReader
    let item: (inout ByteReader) -> Item?
    var spans: [Span] = []

    /// Reads an item; returns whether it is complete.
    mutating func read(_ name: String?, depth: Int) -> Bool {
      let start = bytes.place
      guard depth < BinaryMaps.depthMax, let item = item(&bytes) else { return false }
      switch item {
      case .content(let count, _):
        guard let range = bytes.take(count) else { return false }
        add(Bytes(bytes.bytes[range]), from: start, name)
      case .other(let count): return bytes.take(count) != nil
      case .items(let count, let isMap):
        guard count ?? 0 <= bytes.bytes.count - bytes.place else { return false }
        var index = 0
        while index != count {
          if count == nil, isAtStop() { return true }
          guard isMap ? entry(depth) : read(name, depth: depth + 1) else { return false }
          index += 1
        }
      case .chunks:
        var content: Bytes = []
        while !isAtStop() {
          guard case .content(let count, _)? = self.item(&bytes), let range = bytes.take(count)
          else { return false }
          content += bytes.bytes[range]
        }
        add(content, from: start, name)
      case .stop: return false
      }
      return true
    }

    /// Skips a stop code if it is next, and returns whether it was.
    private mutating func isAtStop() -> Bool {
      var next = bytes
      guard case .stop? = item(&next) else { return false }
      bytes = next
      return true
    }

    private mutating func entry(_ depth: Int) -> Bool {
      let before = spans.count
      guard read(nil, depth: depth + 1) else { return false }
      var name: String?
      if spans.count == before + 1, let text = String(utf8: spans[before].meaning),
        text.utf8.count <= 80
      {
        name = text
        spans[before].role = .name
      }
      return read(name, depth: depth + 1)
    }

    private mutating func add(_ content: Bytes, from start: Int, _ name: String?) {
      if content.isEmpty { return }
      let named = name.map { Span.Role.value(name: $0, .field, []) } ?? .text
      let role = String(utf8: content) == nil ? .sealed : named
      spans.append(Span(range: start..<bytes.place, meaning: content, role: role))
    }
  }

  /// Concise Binary Object Representation (RFC 8949 §3).
  static let cbor = BinaryMaps(
    item: { reader in
      guard let first = reader.byte() else { return nil }
      let (major, low) = (first >> 5, first & 0x1F)
      if first == 0xFF { return .stop }
      if low == 31 {
        switch major {
        case 2, 3: return .chunks(isText: major == 3)
        case 4, 5: return .items(nil, isMap: major == 5)
        default: return nil
        }
      }
      let number = low < 24 ? Int(low) : low < 28 ? reader.number(1 << Int(low - 24)) : nil
      guard let number else { return nil }
      switch major {
      case 2, 3: return .content(number, isText: major == 3)
      case 4, 5: return .items(number, isMap: major == 5)
      // A tag with its item.
      case 6: return .items(1, isMap: false)
      default: return .other(0)
      }
    },
    head: { isText in isText ? (0x60, 24, 0x78) : (0x40, 24, 0x58) }
  )

  /// MessagePack, according to its specification of 2013.
  static let messagePack = BinaryMaps(
    item: { reader in
      guard let first = reader.byte() else { return nil }
      switch first {
      case 0x80...0x8F: return .items(Int(first & 0x0F), isMap: true)
      case 0x90...0x9F: return .items(Int(first & 0x0F), isMap: false)
      case 0xA0...0xBF: return .content(Int(first & 0x1F), isText: true)
      case 0xC4...0xC6:
        return reader.number(1 << Int(first - 0xC4)).map { .content($0, isText: false) }
      case 0xC7...0xC9: return reader.number(1 << Int(first - 0xC7)).map { .other($0 + 1) }
      case 0xCA, 0xCB: return .other(4 << Int(first - 0xCA))
      case 0xCC...0xD3: return .other(1 << Int(first & 3))
      case 0xD4...0xD8: return .other(1 + 1 << Int(first - 0xD4))
      case 0xD9...0xDB:
        return reader.number(1 << Int(first - 0xD9)).map { .content($0, isText: true) }
      case 0xDC...0xDF:
        return reader.number(first & 1 == 0 ? 2 : 4).map { .items($0, isMap: first >= 0xDE) }
      default: return .other(0)
      }
    },
    head: { isText in isText ? (0xA0, 32, 0xD9) : (0, 0, 0xC4) }
  )
}
