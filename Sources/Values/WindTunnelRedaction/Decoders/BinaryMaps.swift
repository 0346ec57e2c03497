internal import Foundation

/// A decoder of maps of names and values in a binary form that counts entries and no bytes, so that
/// only the head of a string changes with it: CBOR (RFC 8949) and MessagePack.
struct BinaryMaps: Decoder, Sendable {
  /// Tells whether bytes begin as a map of some members does, or with a tag of CBOR.
  static func mayBegin(_ bytes: Bytes) -> Bool {
    bytes.first.map { 0xA1...0xBF ~= $0 || 0x81...0x8F ~= $0 || $0 == 0xD9 } ?? false
  }

  /// The item at a place: the length of its head, and its kind.
  struct Item {
    enum Shape {
      case content(count: Int, isText: Bool)
      /// Without a count up to an end of its own (RFC 8949 §3.2.1).
      case items(count: Int?, isMap: Bool)
      case chunks(isText: Bool), stop
      case other(count: Int)
    }

    var shape: Shape
    var headCount = 1
  }

  fileprivate let item: @Sendable (ByteSlice) -> Item?
  fileprivate let head: @Sendable (_ count: Int, _ isText: Bool) -> Bytes

  /// The depth to which items nest that are looked into.
  private static let depthMax = 64

  func spans(in bytes: Bytes) -> [Span]? {
    var reader = Reader(bytes: bytes, item: item)
    // A body may be a sequence of items (RFC 8742).
    while reader.place < bytes.count { guard reader.read(nil, [], depth: 0) else { return nil } }
    return reader.spans
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    guard let item = item(bytes[span.range]) else { return Bytes(bytes[span.range]) }
    switch item.shape {
    case .content(_, isText: false), .chunks(isText: false):
      return head(meaning.count, false) + meaning
    default: return head(meaning.count, true) + meaning
    }
  }

  private struct Reader {
    let bytes: Bytes
    let item: (ByteSlice) -> Item?
    var place = 0
    var spans: [Span] = []

    /// Reads an item; whether there is a whole one.
    mutating func read(_ name: String?, _ around: Neighbours, depth: Int) -> Bool {
      guard depth < BinaryMaps.depthMax, place < bytes.count, let item = item(bytes[place...])
      else { return false }
      let start = place
      place += item.headCount
      switch item.shape {
      case .content(let count, _):
        guard count >= 0, count <= bytes.count - place else { return false }
        let range = start..<place + count
        let content = Bytes(bytes[place..<place + count])
        place += count
        if count > 0 { spans.append(span(range, content, name, around)) }
        return true
      case .other(let count):
        guard count <= bytes.count - place else { return false }
        place += count
        return true
      case .items(let count, let isMap):
        guard count ?? 0 <= bytes.count - place else { return false }
        var index = 0
        while index != count {
          if count == nil, place < bytes.count, case .stop? = self.item(bytes[place...])?.shape {
            place += 1
            return true
          }
          guard isMap ? entry(around, depth) : read(name, around, depth: depth + 1) else {
            return false
          }
          index += 1
        }
        return true
      case .chunks:
        var content: Bytes = []
        while place < bytes.count, let next = self.item(bytes[place...]) {
          place += next.headCount
          switch next.shape {
          case .content(let count, _):
            guard count >= 0, count <= bytes.count - place else { return false }
            content += bytes[place..<place + count]
            place += count
          case .stop:
            if !content.isEmpty { spans.append(span(start..<place, content, name, around)) }
            return true
          default: return false
          }
        }
        return false
      case .stop: return false
      }
    }

    private mutating func entry(_ around: Neighbours, _ depth: Int) -> Bool {
      let before = spans.count
      guard read(nil, around, depth: depth + 1) else { return false }
      var name: String?
      if spans.count == before + 1, let text = String(utf8: spans[before].meaning),
        text.utf8.count <= 80
      {
        name = text
        spans[before].role = .name
      }
      return read(name, around, depth: depth + 1)
    }

    private func span(
      _ range: Range<Int>,
      _ content: Bytes,
      _ name: String?,
      _ around: Neighbours
    ) -> Span {
      let named = name.map { Span.Role.value(name: $0, .field, around) } ?? .text
      let role = String(utf8: content) == nil ? .sealed : named
      return Span(range: range, meaning: content, role: role)
    }
  }

  /// Concise Binary Object Representation (RFC 8949 §3).
  static let cbor = BinaryMaps(
    item: { bytes in
      guard let first = bytes.first else { return nil }
      let (major, low) = (first >> 5, first & 0x1F)
      if first == 0xFF { return Item(shape: .stop) }
      if low == 31 {
        switch major {
        case 2, 3: return Item(shape: .chunks(isText: major == 3))
        case 4, 5: return Item(shape: .items(count: nil, isMap: major == 5))
        default: return nil
        }
      }
      let width = low < 24 ? 0 : low < 28 ? 1 << Int(low - 24) : -1
      guard width >= 0, let count = number(bytes.dropFirst().prefix(width), low, width) else {
        return nil
      }
      let shape: Item.Shape? =
        switch major {
        case 2, 3: .content(count: count, isText: major == 3)
        case 4, 5: .items(count: count, isMap: major == 5)
        // A tag, and what it is of.
        case 6: .items(count: 1, isMap: false)
        default: .other(count: 0)
        }
      return shape.map { Item(shape: $0, headCount: 1 + width) }
    },
    head: { count, isText in
      let major: UInt8 = isText ? 0x60 : 0x40
      if count < 24 { return [major | UInt8(count)] }
      if count < 1 << 8 { return [major | 24, UInt8(count)] }
      if count < 1 << 16 { return [major | 25] + bigEndian(count, 2) }
      return [major | 26] + bigEndian(count, 4)
    }
  )

  /// MessagePack, as its specification of 2013 has it.
  static let messagePack = BinaryMaps(
    item: { bytes in
      guard let first = bytes.first else { return nil }
      func sized(_ width: Int, _ shape: (Int) -> Item.Shape, extra: Int = 0) -> Item? {
        number(bytes.dropFirst().prefix(width), 31, width)
          .map { Item(shape: shape($0 + extra), headCount: 1 + width) }
      }
      switch first {
      case 0x00...0x7F, 0xC0...0xC3, 0xE0...0xFF: return Item(shape: .other(count: 0))
      case 0x80...0x8F: return Item(shape: .items(count: Int(first & 0x0F), isMap: true))
      case 0x90...0x9F: return Item(shape: .items(count: Int(first & 0x0F), isMap: false))
      case 0xA0...0xBF: return Item(shape: .content(count: Int(first & 0x1F), isText: true))
      case 0xC4, 0xC5, 0xC6:
        return sized(1 << Int(first - 0xC4)) { .content(count: $0, isText: false) }
      case 0xC7, 0xC8, 0xC9: return sized(1 << Int(first - 0xC7), { .other(count: $0) }, extra: 1)
      case 0xCA, 0xCB: return Item(shape: .other(count: 4 << Int(first - 0xCA)))
      case 0xCC...0xCF: return Item(shape: .other(count: 1 << Int(first - 0xCC)))
      case 0xD0...0xD3: return Item(shape: .other(count: 1 << Int(first - 0xD0)))
      case 0xD4...0xD8: return Item(shape: .other(count: 1 + 1 << Int(first - 0xD4)))
      case 0xD9, 0xDA, 0xDB:
        return sized(1 << Int(first - 0xD9)) { .content(count: $0, isText: true) }
      case 0xDC...0xDF:
        return sized(first & 1 == 0 ? 2 : 4) { .items(count: $0, isMap: first >= 0xDE) }
      default: return nil
      }
    },
    head: { count, isText in
      if isText, count < 32 { return [0xA0 | UInt8(count)] }
      let first: UInt8 = isText ? 0xD9 : 0xC4
      if count < 1 << 8 { return [first, UInt8(count)] }
      if count < 1 << 16 { return [first + 1] + bigEndian(count, 2) }
      return [first + 2] + bigEndian(count, 4)
    }
  )

  private static func number(_ bytes: ByteSlice, _ low: UInt8, _ width: Int) -> Int? {
    if width == 0 { return Int(low) }
    guard bytes.count == width else { return nil }
    let number = bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return Int(exactly: number) ?? Int.max
  }

  static func bigEndian(_ number: Int, _ width: Int) -> Bytes {
    Bytes((0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
  }
}
