/// The scope in which an address is understood (RFC 4291 §2.5, RFC 6890).
enum AddressScope: Sendable, Hashable {
  /// It stands for no machine, or for this one in the absence of another.
  case unspecified
  /// It is each machine's own.
  case loopback
  /// It is one link's, where also a cloud's machines are told their secrets (169.254.169.254).
  case linkLocal
  /// It is a group's.
  case multicast
  /// It is of networks that do not belong to the Internet.
  case limited
  /// It is the same for all.
  case global
}

extension SocketAddress {
  var scope: AddressScope {
    let isFour = addressBytes.count == 4
    let ranges = isFour ? AddressScope.ofFour : AddressScope.ofSix
    if let found = ranges.first(where: { $0.subnet.contains(self) }) { return found.scope }
    return isFour ? .global : .limited
  }

  /// The IPv4 address that an IPv6 socket spells `::ffff:127.0.0.1` (RFC 4291 §2.5.5.2), and every other
  /// address as it is: the two are one.
  var unmapped: SocketAddress {
    Self.mapped.contains(self) ? four(at: 12) ?? self : self
  }

  /// The IPv4 address that a gateway on the way makes of an IPv6 one: behind 64:ff9b::/96 (NAT64,
  /// RFC 6052 §2.1), and within 2002::/16 (6to4, RFC 3056 §2).
  var translated: SocketAddress? {
    if Self.translatedByNAT64.contains(self) { return four(at: 12) }
    return Self.sixToFour.contains(self) ? four(at: 2) : nil
  }

  private func four(at place: Int) -> SocketAddress? {
    let bytes = addressBytes[place..<place + 4]
    return SocketAddress(bytes.map { String($0) }.joined(separator: "."), port: port)
  }

  private static let mapped = Subnet(six: 0, 0, 0, 0, 0, 0xFFFF, length: 96)
  private static let translatedByNAT64 = Subnet(six: 0x64, 0xFF9B, length: 96)
  private static let sixToFour = Subnet(six: 0x2002, length: 16)
}

extension AddressScope {
  /// The ranges that are not global, as IANA's registry of special purposes has them (RFC 6890 §2.2.2).
  fileprivate static let ofFour: [(subnet: Subnet, scope: AddressScope)] = [
    // "This network" (RFC 1122 §3.2.1.3).
    (Subnet(four: 0, length: 8), .unspecified),
    (Subnet(four: 127, length: 8), .loopback),
    (Subnet(four: 169, 254, length: 16), .linkLocal),
    (Subnet(four: 224, length: 4), .multicast),
    // Private (RFC 1918 §3) and shared with a provider (RFC 6598 §7).
    (Subnet(four: 10, length: 8), .limited),
    (Subnet(four: 172, 16, length: 12), .limited),
    (Subnet(four: 192, 168, length: 16), .limited),
    (Subnet(four: 100, 64, length: 10), .limited),
    // Protocol assignments, documentation (RFC 5737), benchmarks (RFC 2544), and what was kept for later
    // together with the limited broadcast (RFC 1112 §4, RFC 919 §7).
    (Subnet(four: 192, 0, 0, length: 24), .limited),
    (Subnet(four: 192, 0, 2, length: 24), .limited),
    (Subnet(four: 198, 51, 100, length: 24), .limited),
    (Subnet(four: 203, 0, 113, length: 24), .limited),
    (Subnet(four: 198, 18, length: 15), .limited),
    (Subnet(four: 240, length: 4), .limited),
  ]

  /// The global addresses of IPv6, and in front of them the exceptions; the rest of IPv6 is
  /// nobody's, or a private network's as fc00::/7 is (RFC 4193 §3.1).
  fileprivate static let ofSix: [(subnet: Subnet, scope: AddressScope)] = [
    (Subnet(six: 0, length: 128), .unspecified),
    (Subnet(six: 0, 0, 0, 0, 0, 0, 0, 1, length: 128), .loopback),
    (Subnet(six: 0xFE80, length: 10), .linkLocal),
    (Subnet(six: 0xFF00, length: 8), .multicast),
    // Protocol assignments with Teredo among them (RFC 4380), and documentation (RFC 3849, RFC 9637).
    (Subnet(six: 0x2001, length: 23), .limited),
    (Subnet(six: 0x2001, 0xDB8, length: 32), .limited),
    (Subnet(six: 0x3FFF, length: 20), .limited),
    (Subnet(six: 0x2000, length: 3), .global),
    // As far as the IPv4 address within is.
    (Subnet(six: 0x64, 0xFF9B, length: 96), .global),
  ]
}
