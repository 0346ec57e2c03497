/// A message of Protocol Buffers (encoding, *Message Structure*) without its schema, so fields have
/// numbers but no names.
///
/// Content with a length is text if possible, otherwise a nested message, otherwise bytes.
struct ProtobufMessage: Decoder {
  /// The name of the message's texts, if the message is the value of a map entry.
  var name: String?

  func spans(in bytes: Bytes) -> [Span]? {
    guard let fields = Self.fields(of: bytes) else { return nil }
    var texts: [String?] = []
    var spans: [Span] = []
    for (range, content) in fields {
      let bytes = Bytes(bytes[content])
      let text =
        bytes.allSatisfy { $0 >= 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        ? String(utf8: bytes) : nil
      let isMessage = text == nil && Self.fields(of: bytes) != nil
      let named = name.map { Span.Role.value(name: $0, .field, []) } ?? .text
      let role = text != nil ? named : isMessage ? .content(type: "application/protobuf") : .sealed
      texts.append(text)
      spans.append(Span(range: range, meaning: bytes, role: role))
    }
    // A map entry is a message with a key and a value (*Maps*).
    if spans.count == 2, let name = texts[0], name.utf8.count <= 40 {
      if texts[1] != nil {
        spans[1].role = .value(name: name, .field, [])
      } else if case .content = spans[1].role, name.isHTTPToken {
        // The value may have one of several types (`google.protobuf.Value`, OpenTelemetry's
        // `AnyValue`).
        spans[1].role = .content(type: "application/protobuf; windtunnel-name=\(name)")
      }
    }
    return spans
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    // The field's number is kept.
    let tag = bytes[span.range].prefix { $0 >= 0x80 }.count + 1
    return bytes[span.range].prefix(tag) + ByteReader.varint(meaning.count) + meaning
  }

  /// Returns the fields of a message that have a length; `nil` if the bytes are not a message.
  private static func fields(of bytes: Bytes) -> [(range: Range<Int>, content: Range<Int>)]? {
    if bytes.isEmpty { return nil }
    var reader = ByteReader(bytes: bytes)
    var fields: [(Range<Int>, Range<Int>)] = []
    while !reader.isAtEnd {
      let start = reader.place
      guard let tag = reader.varint(), 1..<1 << 29 ~= tag >> 3 else { return nil }
      let content: Range<Int>? =
        switch tag & 7 {
        case 0: reader.varint().map { _ in 0..<0 }
        case 1: reader.take(8)
        case 2: reader.take(reader.varint())
        case 5: reader.take(4)
        default: nil
        }
      guard let content else { return nil }
      if tag & 7 == 2 { fields.append((start..<reader.place, content)) }
    }
    return fields
  }
}
