/// The CONNECT packet of MQTT (MQTT 3.1.1 §3.1, MQTT 5.0 §3.1). Its password is identified by
/// position, not by name.
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
    let content = before + ByteReader.bigEndian(meaning.count, 2) + meaning
    return [Self.mark] + ByteReader.varint(content.count) + content
  }

  /// Returns the start of the counted content, and the range of the password, which ends the
  /// packet.
  private static func parts(of bytes: Bytes) -> (start: Int, password: Range<Int>)? {
    var reader = ByteReader(bytes: bytes, place: 1)
    guard bytes.first == mark, let count = reader.varint(), count == bytes.count - reader.place
    else { return nil }
    let start = reader.place
    /// Reads a field after its length of two bytes.
    func field() -> Range<Int>? { reader.take(reader.number(2)) }
    guard let name = field(), name.count == 4 || name.count == 6, let version = reader.byte(),
      let flags = reader.byte(), reader.take(2) != nil
    else { return nil }
    func skipProperties() -> Bool { version < 5 || reader.take(reader.varint()) != nil }
    // The client's name, the last will, and the user.
    guard flags & 0x40 != 0, skipProperties(), field() != nil,
      flags & 0x04 == 0 || skipProperties() && field() != nil && field() != nil,
      flags & 0x80 == 0 || field() != nil, let password = field(), reader.isAtEnd
    else { return nil }
    return (start, password)
  }
}
