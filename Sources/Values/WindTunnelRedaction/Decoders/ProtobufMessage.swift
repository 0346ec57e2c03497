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
      let isMessage = text == nil && Self.fields(of: bytes)?.isEmpty == false
      let named = name.map { Span.Role.value(name: $0, .field, []) } ?? .text
      let role = text != nil ? named : isMessage ? .content(type: "application/protobuf") : .sealed
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

  static func varint(_ bytes: Bytes, _ place: inout Int) -> UInt64? {
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

  static func varint(_ number: Int) -> Bytes {
    var (bytes, rest): (Bytes, Int) = ([], number)
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
