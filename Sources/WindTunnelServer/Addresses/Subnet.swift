/// The addresses that begin with the same bits, such as 192.168.1.0/24 (RFC 4632 §3.1).
struct Subnet: Sendable, Hashable {
  /// The first address, in network order.
  private let first: [UInt8]
  /// The number of bits that its addresses have in common.
  private let length: Int

  /// Takes any of its addresses; bits behind the length are ignored.
  init(_ address: [UInt8], length: Int) {
    self.length = length
    first = address.enumerated().map { place, byte in
      byte & Self.mask(length - place * 8)
    }
  }

  /// Takes the first bytes of an IPv4 subnet, whose others are 0.
  init(four: UInt8..., length: Int) {
    self.init(four + [UInt8](repeating: 0, count: 4 - four.count), length: length)
  }

  /// Takes the first groups of an IPv6 subnet, whose others are 0.
  init(six: UInt16..., length: Int) {
    let bytes = six.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    self.init(bytes + [UInt8](repeating: 0, count: 16 - bytes.count), length: length)
  }

  func contains(_ address: SocketAddress) -> Bool {
    let bytes = address.addressBytes
    return bytes.count == first.count && Self(bytes, length: length) == self
  }

  /// The bits of a byte that belong to a prefix which has so many left.
  private static func mask(_ bits: Int) -> UInt8 {
    bits >= 8 ? 0xFF : bits <= 0 ? 0 : ~(0xFF >> UInt8(bits))
  }
}
