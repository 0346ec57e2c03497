/// The rule that determines the addresses to which a proxy connects another machine.
///
/// Through the proxy, such a peer reaches only addresses that it could also reach by itself. It
/// reaches neither the proxy's machine, nor private networks of that machine to which the peer does
/// not belong. The rule checks the address of the connection, not its name, because a name may
/// resolve to a different address the next time.
package struct AddressPolicy: Sendable, Hashable {
  /// The subnet of the peer; `nil` if the peer is outside the network of the proxy's listening
  /// address.
  private let subnet: Subnet?
  private let exceptions: [AllowedAddress]

  /// Creates a policy for a peer.
  ///
  /// - Parameters:
  ///   - peer: The peer's address.
  ///   - network: The subnet of the address that the proxy listens at.
  ///   - exceptions: The addresses that the proxy's user has allowed explicitly.
  package init(
    for peer: SocketAddress?,
    in network: Subnet?,
    allowing exceptions: [AllowedAddress] = []
  ) {
    let isNear = peer.map { network?.contains($0.unmapped) ?? false } ?? false
    subnet = isNear ? network : nil
    self.exceptions = exceptions
  }

  /// Returns why an address is refused; `nil` if the connection is allowed. `localEnd` returns the
  /// local address for a connection to an address.
  package func refusal(
    of destination: SocketAddress,
    asking localEnd: (SocketAddress) -> LocalEnd
  ) -> AddressRefusal? {
    let address = destination.unmapped
    if exceptions.contains(where: { $0.covers(address) }) { return nil }
    var reason = reason(against: address, from: subnet, asking: localEnd)
    if reason == nil, let inner = address.translated {
      // A gateway connects to the embedded address, which is not near the peer (RFC 6052 §3.1, RFC
      // 3056 §2).
      reason = self.reason(against: inner, from: nil, asking: localEnd)
    }
    return reason.map { AddressRefusal(address: address, reason: $0) }
  }

  private func reason(
    against address: SocketAddress,
    from subnet: Subnet?,
    asking localEnd: (SocketAddress) -> LocalEnd
  ) -> AddressRefusal.Reason? {
    let scope = address.scope
    if let scope, scope != .limited { return scope }
    switch localEnd(address) {
    case .at(let own) where own.unmapped.addressBytes == address.addressBytes: return .own
    case .unknown: return .unknown
    case .at, .nowhere: break
    }
    return subnet?.contains(address) == true ? nil : scope
  }
}

/// The local end of a possible connection.
package enum LocalEnd: Sendable, Hashable {
  case at(SocketAddress)
  /// There is no route to the other end.
  case nowhere
  /// The system did not report the local end.
  case unknown
}

/// The refusal of a proxy to connect a peer to an address.
public struct AddressRefusal: Sendable, Hashable, CustomStringConvertible {
  /// The reasons for a refusal. Most are the scope of the address (RFC 4291 §2.5, RFC 6890).
  package enum Reason: Sendable, Hashable {
    /// The address is a loopback address.
    case loopback
    /// The address identifies no machine, or this one if there is no other.
    case unspecified
    /// The address is only valid on one link. Cloud machines also get their secrets at such an
    /// address (169.254.169.254).
    case linkLocal
    /// The address is a multicast address.
    case multicast
    /// The address is in a network that is not part of the Internet.
    case limited
    /// The address belongs to this machine.
    case own
    /// The system does not report whether the address belongs to this machine.
    case unknown
  }

  package let address: SocketAddress
  package let reason: Reason

  /// The refusal in a sentence, for the peer and for the proxy's user.
  public var description: String {
    let kind =
      switch reason {
      case .loopback: "the machine of the proxy itself"
      case .own: "an address of the machine of the proxy"
      case .unspecified: "not the address of one machine"
      case .linkLocal: "a link-local address"
      case .multicast: "a multicast address"
      case .limited: "neither on the Internet nor in the device's own network"
      case .unknown: "an address that may be the proxy's own, as far as the system reports"
      }
    let sentence = "\(address) is \(kind), so the proxy does not connect other machines to it."
    if reason == .unspecified || reason == .multicast { return sentence }
    return "\(sentence) To allow it, start the proxy with --allow-private \(address)"
  }
}

/// An address to which a proxy connects other machines although its policy forbids it.
public struct AllowedAddress: Sendable, Hashable {
  private let address: SocketAddress
  /// Whether every port is allowed.
  private let isAnyPort: Bool

  /// Parses `10.1.2.3`, `10.1.2.3:8080`, `fd00::7` or `[fd00::7]:8080`; `nil` if the text is not
  /// the address of one machine.
  ///
  /// A loopback address requires a port, because many other services listen there, including the
  /// proxy's own admin port.
  public init?(_ text: String) {
    if let address = SocketAddress(text, port: 0) {
      (self.address, isAnyPort) = (address.unmapped, true)
    } else {
      guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
        port > 0, !text[..<colon].contains(":") || text.hasPrefix("["),
        let address = SocketAddress(String(text[..<colon]), port: port)
      else { return nil }
      (self.address, isAnyPort) = (address.unmapped, false)
    }
    switch address.scope {
    case .unspecified, .multicast: return nil
    case .loopback where isAnyPort: return nil
    default: break
    }
  }

  package func covers(_ other: SocketAddress) -> Bool {
    let other = isAnyPort ? other.at(port: 0) : other
    // The interface does not count.
    return other.addressBytes == address.addressBytes && other.port == address.port
  }
}

/// The address ranges with their scopes; `nil` is global.
private enum AddressRanges {
  /// The ranges that are not global, according to IANA's registry of special purposes (RFC 6890
  /// §2.2.2).
  static let four: [(subnet: Subnet, scope: AddressRefusal.Reason?)] = [
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
    // Protocol assignments, documentation (RFC 5737), benchmarks (RFC 2544), and the reserved range
    // together with the limited broadcast (RFC 1112 §4, RFC 919 §7).
    (Subnet(four: 192, 0, 0, length: 24), .limited),
    (Subnet(four: 192, 0, 2, length: 24), .limited),
    (Subnet(four: 198, 51, 100, length: 24), .limited),
    (Subnet(four: 203, 0, 113, length: 24), .limited),
    (Subnet(four: 198, 18, length: 15), .limited),
    (Subnet(four: 240, length: 4), .limited),
  ]

  /// The global addresses of IPv6, preceded by exceptions. The rest of IPv6 is unassigned or
  /// private, such as fc00::/7 (RFC 4193 §3.1).
  static let six: [(subnet: Subnet, scope: AddressRefusal.Reason?)] = [
    (Subnet(six: 0, length: 128), .unspecified),
    (Subnet(six: 0, 0, 0, 0, 0, 0, 0, 1, length: 128), .loopback),
    (Subnet(six: 0xFE80, length: 10), .linkLocal),
    (Subnet(six: 0xFF00, length: 8), .multicast),
    // Protocol assignments including Teredo (RFC 4380), and documentation (RFC 3849, RFC 9637).
    (Subnet(six: 0x2001, length: 23), .limited),
    (Subnet(six: 0x2001, 0xDB8, length: 32), .limited),
    (Subnet(six: 0x3FFF, length: 20), .limited),
    (Subnet(six: 0x2000, length: 3), nil),
    // Global if the embedded IPv4 address is.
    (Subnet(six: 0x64, 0xFF9B, length: 96), nil),
  ]
}

extension SocketAddress {
  /// The scope of the address; `nil` for a global one.
  fileprivate var scope: AddressRefusal.Reason? {
    let isFour = addressBytes.count == 4
    let ranges = isFour ? AddressRanges.four : AddressRanges.six
    if let found = ranges.first(where: { $0.subnet.contains(self) }) { return found.scope }
    return isFour ? nil : .limited
  }

  /// The IPv4 address in a mapped address such as `::ffff:127.0.0.1` (RFC 4291 §2.5.5.2); any other
  /// address unchanged.
  package var unmapped: SocketAddress { Self.mapped.contains(self) ? four(at: 12) ?? self : self }

  /// The IPv4 address to which a gateway translates an IPv6 address; `nil` if there is none.
  ///
  /// These are addresses in 64:ff9b::/96 (NAT64, RFC 6052 §2.1) and 2002::/16 (6to4, RFC 3056 §2).
  fileprivate var translated: SocketAddress? {
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

/// The addresses that begin with the same bits, such as 192.168.1.0/24 (RFC 4632 §3.1).
package struct Subnet: Sendable, Hashable {
  /// The first address, in network order.
  private let first: [UInt8]
  /// The number of common bits.
  private let length: Int

  /// Creates the subnet of an address; bits after the length are ignored.
  package init(_ address: [UInt8], length: Int) {
    self.length = length
    first = address.enumerated().map { place, byte in byte & Self.mask(length - place * 8) }
  }

  /// Creates an IPv4 subnet from its first bytes; the others are 0.
  package init(four: UInt8..., length: Int) {
    self.init(four + [UInt8](repeating: 0, count: 4 - four.count), length: length)
  }

  /// Creates an IPv6 subnet from its first groups; the others are 0.
  package init(six: UInt16..., length: Int) {
    let bytes = six.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    self.init(bytes + [UInt8](repeating: 0, count: 16 - bytes.count), length: length)
  }

  package func contains(_ address: SocketAddress) -> Bool {
    let bytes = address.addressBytes
    return bytes.count == first.count && Self(bytes, length: length) == self
  }

  /// Returns the mask of a byte if `bits` bits of the prefix remain.
  private static func mask(_ bits: Int) -> UInt8 {
    bits >= 8 ? 0xFF : bits <= 0 ? 0 : ~(0xFF >> UInt8(bits))
  }
}
