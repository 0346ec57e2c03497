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
