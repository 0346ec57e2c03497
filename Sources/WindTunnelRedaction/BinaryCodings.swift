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
      case string(count: Int), bytes(count: Int), list(count: Int), map(count: Int), other(
        count: Int
      )
      /// Up to an end of its own (RFC 8949 §3.2.1).
      case open(isMap: Bool), chunks(isText: Bool), stop
    }

    var headCount: Int
    var shape: Shape
  }

  fileprivate let item: @Sendable (ByteSlice) -> Item?
  fileprivate let head: @Sendable (_ count: Int, _ isText: Bool) -> Bytes

  /// The depth to which items nest that are looked into.
  private static let depthMax = 64

  func spans(in bytes: Bytes) -> [Span]? {
    var reader = Reader(bytes: bytes, item: item)
    // A body may be a sequence of items (RFC 8742).
    while reader.place < bytes.count {
      guard reader.read(nil, [], depth: 0) else { return nil }
    }
    return reader.spans
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    guard let item = item(bytes[span.range]) else { return Bytes(bytes[span.range]) }
    switch item.shape {
    case .bytes, .chunks(isText: false): return head(meaning.count, false) + meaning
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
      else {
        return false
      }
      let start = place
      place += item.headCount
      switch item.shape {
      case .string(let count), .bytes(let count):
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
      case .list(let count):
        guard count <= bytes.count - place else { return false }
        for _ in 0..<count { guard read(name, around, depth: depth + 1) else { return false } }
        return true
      case .map(let count):
        guard count <= bytes.count - place else { return false }
        for _ in 0..<count { guard entry(around, depth) else { return false } }
        return true
      case .open(let isMap):
        while place < bytes.count {
          if let next = self.item(bytes[place...]), case .stop = next.shape {
            place += 1
            return true
          }
          guard isMap ? entry(around, depth) : read(name, around, depth: depth + 1) else {
            return false
          }
        }
        return false
      case .chunks:
        var content: Bytes = []
        while place < bytes.count, let next = self.item(bytes[place...]) {
          place += next.headCount
          switch next.shape {
          case .string(let count), .bytes(let count):
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
    )
      -> Span
    {
      let isText = String(utf8: content) != nil
      let role: Span.Role =
        if !isText { .sealed } else if let name { .value(name: name, .field, around) } else {
          .text
        }
      return Span(range: range, meaning: content, role: role)
    }
  }

  /// Concise Binary Object Representation (RFC 8949 §3).
  static let cbor = BinaryMaps(
    item: { bytes in
      guard let first = bytes.first else { return nil }
      let (major, low) = (first >> 5, first & 0x1F)
      if first == 0xFF { return Item(headCount: 1, shape: .stop) }
      if low == 31 {
        switch major {
        case 2, 3: return Item(headCount: 1, shape: .chunks(isText: major == 3))
        case 4, 5: return Item(headCount: 1, shape: .open(isMap: major == 5))
        default: return nil
        }
      }
      let width = low < 24 ? 0 : low < 28 ? 1 << Int(low - 24) : -1
      guard width >= 0, let count = number(bytes.dropFirst().prefix(width), low, width) else {
        return nil
      }
      let shape: Item.Shape? =
        switch major {
        case 2: .bytes(count: count)
        case 3: .string(count: count)
        case 4: .list(count: count)
        case 5: .map(count: count)
        // A tag, and what it is of.
        case 6: .list(count: 1)
        default: .other(count: 0)
        }
      return shape.map { Item(headCount: 1 + width, shape: $0) }
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
          .map { Item(headCount: 1 + width, shape: shape($0 + extra)) }
      }
      switch first {
      case 0x00...0x7F, 0xC0...0xC3, 0xE0...0xFF: return Item(headCount: 1, shape: .other(count: 0))
      case 0x80...0x8F: return Item(headCount: 1, shape: .map(count: Int(first & 0x0F)))
      case 0x90...0x9F: return Item(headCount: 1, shape: .list(count: Int(first & 0x0F)))
      case 0xA0...0xBF: return Item(headCount: 1, shape: .string(count: Int(first & 0x1F)))
      case 0xC4, 0xC5, 0xC6: return sized(1 << Int(first - 0xC4)) { .bytes(count: $0) }
      case 0xC7, 0xC8, 0xC9: return sized(1 << Int(first - 0xC7), { .other(count: $0) }, extra: 1)
      case 0xCA: return Item(headCount: 1, shape: .other(count: 4))
      case 0xCB: return Item(headCount: 1, shape: .other(count: 8))
      case 0xCC...0xCF: return Item(headCount: 1, shape: .other(count: 1 << Int(first - 0xCC)))
      case 0xD0...0xD3: return Item(headCount: 1, shape: .other(count: 1 << Int(first - 0xD0)))
      case 0xD4...0xD8: return Item(headCount: 1, shape: .other(count: 1 + 1 << Int(first - 0xD4)))
      case 0xD9, 0xDA, 0xDB: return sized(1 << Int(first - 0xD9)) { .string(count: $0) }
      case 0xDC, 0xDD: return sized(first == 0xDC ? 2 : 4) { .list(count: $0) }
      case 0xDE, 0xDF: return sized(first == 0xDE ? 2 : 4) { .map(count: $0) }
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

  fileprivate static func bigEndian(_ number: Int, _ width: Int) -> Bytes {
    Bytes((0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
  }
}

/// A message of Protocol Buffers (encoding, *Message Structure*) without its schema: numbers of
/// fields and no names. What has a length is a text, else a message in turn, else bytes.
struct ProtobufMessage: Decoder {
  /// The name that a text in it has, where it is the value of an entry.
  var name: String?

  func spans(in bytes: Bytes) -> [Span]? {
    guard let fields = Self.fields(of: bytes), !fields.isEmpty else { return nil }
    var texts: [String?] = []
    var spans: [Span] = []
    for field in fields {
      guard let content = field.content else { continue }
      let bytes = Bytes(bytes[content])
      let text =
        bytes.allSatisfy { $0 >= 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        ? String(utf8: bytes) : nil
      let role: Span.Role =
        if text != nil {
          name.map { .value(name: $0, .field, []) } ?? .text
        } else if Self.fields(of: bytes)?.isEmpty == false {
          .content(type: "application/protobuf")
        } else {
          .sealed
        }
      texts.append(text)
      spans.append(Span(range: field.range, meaning: bytes, role: role))
    }
    // An entry of a map is a message of its key and its value (*Maps*).
    if spans.count == 2, let name = texts[0], name.utf8.count <= 40 {
      if texts[1] != nil {
        spans[1].role = .value(name: name, .field, [])
      } else if case .content = spans[1].role, name.isHTTPToken {
        // Its value may be one of several types (`google.protobuf.Value`, OpenTelemetry's
        // `AnyValue`).
        spans[1].role = .content(type: "application/protobuf; windtunnel-name=\(name)")
      }
    }
    return spans
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    // The number of the field stays.
    let tag = bytes[span.range].prefix { $0 >= 0x80 }.count + 1
    return bytes[span.range].prefix(tag) + Self.varint(meaning.count) + meaning
  }

  private struct Field {
    var range: Range<Int>
    var content: Range<Int>?
  }

  /// Returns the fields of a message; `nil` for bytes that are none.
  private static func fields(of bytes: Bytes) -> [Field]? {
    var fields: [Field] = []
    var place = 0
    while place < bytes.count {
      let start = place
      guard let tag = varint(bytes, &place), tag >> 3 > 0, tag >> 3 < 1 << 29 else { return nil }
      switch tag & 7 {
      case 0: guard varint(bytes, &place) != nil else { return nil }
      case 1: place += 8
      case 5: place += 4
      case 2:
        guard let count = varint(bytes, &place), count <= UInt64(bytes.count - place) else {
          return nil
        }
        fields.append(Field(range: start..<place + Int(count), content: place..<place + Int(count)))
        place += Int(count)
        continue
      default: return nil
      }
      guard place <= bytes.count else { return nil }
      fields.append(Field(range: start..<place, content: nil))
    }
    return fields
  }

  fileprivate static func varint(_ bytes: Bytes, _ place: inout Int) -> UInt64? {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while place < bytes.count, shift < 64 {
      let byte = bytes[place]
      place += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  fileprivate static func varint(_ number: Int) -> Bytes {
    var (bytes, rest): (Bytes, Int) = ([], number)
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}

/// The packet by which a client of MQTT logs in (MQTT 3.1.1 §3.1, MQTT 5.0 §3.1): its password has
/// a place and no name.
struct MQTTConnect: Decoder {
  /// The first byte of the packet.
  static let mark: UInt8 = 0x10

  func spans(in bytes: Bytes) -> [Span]? {
    guard let (_, password) = Self.parts(of: bytes) else { return nil }
    let role = Span.Role.value(name: "password", .field, .login)
    return [Span(range: 0..<bytes.count, meaning: Bytes(bytes[password]), role: role)]
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    guard let (start, password) = Self.parts(of: bytes) else { return bytes }
    let before = Bytes(bytes[start..<password.lowerBound - 2])
    let content = before + BinaryMaps.bigEndian(meaning.count, 2) + meaning
    return [Self.mark] + ProtobufMessage.varint(content.count) + content
  }

  /// Returns where what the packet counts begins, and the password, with which it ends.
  private static func parts(of bytes: Bytes) -> (start: Int, password: Range<Int>)? {
    var place = 1
    guard bytes.first == mark, let count = ProtobufMessage.varint(bytes, &place),
      count == UInt64(bytes.count - place)
    else { return nil }
    let start = place
    /// Reads what has its length before it, in two bytes.
    func field() -> Range<Int>? {
      guard place + 2 <= bytes.count else { return nil }
      let first = place + 2
      place = first + (Int(bytes[place]) << 8 | Int(bytes[place + 1]))
      return place <= bytes.count ? first..<place : nil
    }
    guard let name = field(), name.count == 4 || name.count == 6, place + 4 <= bytes.count else {
      return nil
    }
    let (hasProperties, flags) = (bytes[place] >= 5, bytes[place + 1])
    place += 4
    func skipProperties() -> Bool {
      guard hasProperties else { return true }
      guard let count = ProtobufMessage.varint(bytes, &place),
        count <= UInt64(max(0, bytes.count - place))
      else { return false }
      place += Int(count)
      return true
    }
    // The client's name, the message that is told of its end, and its user.
    guard flags & 0x40 != 0, skipProperties(), field() != nil,
      flags & 0x04 == 0 || skipProperties() && field() != nil && field() != nil,
      flags & 0x80 == 0 || field() != nil,
      let password = field(), password.upperBound == bytes.count
    else { return nil }
    return (start, password)
  }
}

/// The frames of gRPC (PROTOCOL-HTTP2.md, PROTOCOL-WEB.md): a flag, four bytes of length and a
/// message, or fields behind a flag of 0x80.
struct GRPCFrames: Decoder {
  func spans(in bytes: Bytes) -> [Span]? {
    var spans: [Span] = []
    var place = 0
    while place < bytes.count {
      guard bytes.count - place >= 5 else { return nil }
      let count = bytes[place + 1..<place + 5].reduce(0) { $0 << 8 | Int($1) }
      guard count <= bytes.count - place - 5 else { return nil }
      let content = Bytes(bytes[place + 5..<place + 5 + count])
      let flag = bytes[place]
      let role: Span.Role =
        flag & 1 == 1 ? .sealed : flag & 0x80 != 0 ? .text : .content(type: "application/protobuf")
      spans.append(Span(range: place..<place + 5 + count, meaning: content, role: role))
      place += 5 + count
    }
    return spans
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    [bytes[span.range.lowerBound]] + BinaryMaps.bigEndian(meaning.count, 4) + meaning
  }
}

/// A decoder of gRPC frames in base64, each padded by itself (PROTOCOL-WEB.md).
struct Base64Frames: Decoder {
  func spans(in bytes: Bytes) -> [Span]? {
    var decoded: Bytes = []
    var letters: Bytes = []
    for (index, byte) in bytes.enumerated() where byte > 0x20 {
      letters.append(byte)
      let isPadded =
        byte == UInt8(ascii: "=") && (index + 1 == bytes.count || bytes[index + 1] != byte)
      if isPadded || index + 1 == bytes.count {
        guard let part = Base64Text.decoded(letters) else { return nil }
        decoded += part
        letters = []
      }
    }
    if !letters.isEmpty {
      guard let part = Base64Text.decoded(letters) else { return nil }
      decoded += part
    }
    return [
      Span(range: 0..<bytes.count, meaning: decoded, role: .content(type: "application/grpc-web"))
    ]
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    Bytes(Data(meaning).base64EncodedString().utf8)
  }
}
