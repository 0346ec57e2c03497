/// The addresses that a proxy connects to for a peer that is another machine.
///
/// Such a peer gets to nothing by the proxy that it could not reach by itself: neither to the
/// machine that the proxy runs on, nor to the private networks which that machine is in and the
/// peer is not. What is judged is the address that is about to be connected to; a name says
/// nothing, since it may have another address the next time.
package struct AddressPolicy: Sendable, Hashable {
  /// The subnet that the peer came from; `nil` where it came from further away than the network
  /// that the proxy listens at.
  private let subnet: Subnet?
  private let exceptions: [AllowedAddress]

  /// - Parameters:
  ///   - peer: The peer's address.
  ///   - network: The subnet of the address that the proxy listens at.
  ///   - exceptions: What whoever runs the proxy has let in by name.
  package init(
    for peer: SocketAddress?,
    in network: Subnet?,
    allowing exceptions: [AllowedAddress] = []
  ) {
    let isNear = peer.map { network?.contains($0.unmapped) ?? false } ?? false
    subnet = isNear ? network : nil
    self.exceptions = exceptions
  }

  /// Returns why an address is not connected to; `nil` for one that is. `localEnd` tells which
  /// address of this machine would speak to another one.
  package func refusal(
    of destination: SocketAddress,
    asking localEnd: (SocketAddress) -> LocalEnd
  ) -> AddressRefusal? {
    let address = destination.unmapped
    if exceptions.contains(where: { $0.covers(address) }) { return nil }
    var reason = reason(against: address, from: subnet, asking: localEnd)
    if reason == nil, let inner = address.translated {
      // What a gateway makes of it is nowhere near the peer (RFC 6052 §3.1, RFC 3056 §2).
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

/// The end of a connection on this machine, before there is the connection.
package enum LocalEnd: Sendable, Hashable {
  case at(SocketAddress)
  /// No route leads to the other end.
  case nowhere
  /// The system would not tell.
  case unknown
}

/// The refusal of a proxy to connect a peer to an address.
public struct AddressRefusal: Sendable, Hashable, CustomStringConvertible {
  /// The reasons for a refusal, of which most are the scope in which the address is understood (RFC
  /// 4291 §2.5, RFC 6890).
  package enum Reason: Sendable, Hashable {
    /// The address is each machine's own.
    case loopback
    /// The address stands for no machine, or for this one in the absence of another.
    case unspecified
    /// The address is of one link, where a cloud's machines also get their secrets
    /// (169.254.169.254).
    case linkLocal
    /// The address is of a group.
    case multicast
    /// The address is of a network that does not belong to the Internet.
    case limited
    /// The address is one of this machine's.
    case own
    /// The system does not report whether the address is one of this machine's.
    case unknown
  }

  package let address: SocketAddress
  package let reason: Reason

  /// The refusal in a sentence, for the peer and for the proxy's user.
  public var description: String {
    let kind =
      switch reason {
      case .loopback: "the machine itself that the proxy runs on"
      case .own: "an address of the machine that the proxy runs on"
      case .unspecified: "no address of one machine"
      case .linkLocal: "a link-local address"
      case .multicast: "a multicast address"
      case .limited: "not of the Internet and not of the device's own network"
      case .unknown: "an address of which the system does not tell whether it is the proxy's own"
      }
    let sentence = "\(address) is \(kind), and the proxy connects no other machine to it."
    if reason == .unspecified || reason == .multicast { return sentence }
    return "\(sentence) Whoever runs the proxy can allow it: --allow-private \(address)"
  }
}

/// An address that a proxy connects other machines to although its policy forbids it.
public struct AllowedAddress: Sendable, Hashable {
  private let address: SocketAddress
  /// Tells whether it is meant at every port.
  private let isAnyPort: Bool

  /// Parses `10.1.2.3`, `10.1.2.3:8080`, `fd00::7` or `[fd00::7]:8080`; `nil` for text that is not
  /// the address of one machine, and for a loopback address without a port: many services listen
  /// there that are not meant, the proxy's own admin port included.
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
    (isAnyPort ? other.at(port: 0) : other).isSame(as: address)
  }
}

/// The ranges of addresses with a scope of their own; `nil` is the same for all.
private enum AddressRanges {
  /// The ranges that are not global, as IANA's registry of special purposes has them (RFC 6890
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
    // Protocol assignments, documentation (RFC 5737), benchmarks (RFC 2544), and what was kept for
    // later together with the limited broadcast (RFC 1112 §4, RFC 919 §7).
    (Subnet(four: 192, 0, 0, length: 24), .limited),
    (Subnet(four: 192, 0, 2, length: 24), .limited),
    (Subnet(four: 198, 51, 100, length: 24), .limited),
    (Subnet(four: 203, 0, 113, length: 24), .limited),
    (Subnet(four: 198, 18, length: 15), .limited),
    (Subnet(four: 240, length: 4), .limited),
  ]

  /// The global addresses of IPv6, and in front of them the exceptions; the rest of IPv6 is
  /// nobody's, or a private network's as fc00::/7 is (RFC 4193 §3.1).
  static let six: [(subnet: Subnet, scope: AddressRefusal.Reason?)] = [
    (Subnet(six: 0, length: 128), .unspecified),
    (Subnet(six: 0, 0, 0, 0, 0, 0, 0, 1, length: 128), .loopback),
    (Subnet(six: 0xFE80, length: 10), .linkLocal),
    (Subnet(six: 0xFF00, length: 8), .multicast),
    // Protocol assignments with Teredo among them (RFC 4380), and documentation (RFC 3849, RFC
    // 9637).
    (Subnet(six: 0x2001, length: 23), .limited),
    (Subnet(six: 0x2001, 0xDB8, length: 32), .limited),
    (Subnet(six: 0x3FFF, length: 20), .limited),
    (Subnet(six: 0x2000, length: 3), nil),
    // As far as the IPv4 address within is.
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

  /// The IPv4 address that an IPv6 socket spells `::ffff:127.0.0.1` (RFC 4291 §2.5.5.2), and every
  /// other address as it is: the two are one.
  package var unmapped: SocketAddress { Self.mapped.contains(self) ? four(at: 12) ?? self : self }

  /// The IPv4 address that a gateway on the way makes of an IPv6 one: behind 64:ff9b::/96 (NAT64,
  /// RFC 6052 §2.1), and within 2002::/16 (6to4, RFC 3056 §2).
  fileprivate var translated: SocketAddress? {
    if Self.translatedByNAT64.contains(self) { return four(at: 12) }
    return Self.sixToFour.contains(self) ? four(at: 2) : nil
  }

  /// Tells whether address and port are the same, whatever interface they are said to be of.
  fileprivate func isSame(as other: SocketAddress) -> Bool {
    addressBytes == other.addressBytes && port == other.port
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
  /// The number of bits that its addresses have in common.
  private let length: Int

  /// Takes any of its addresses; bits behind the length are ignored.
  package init(_ address: [UInt8], length: Int) {
    self.length = length
    first = address.enumerated().map { place, byte in byte & Self.mask(length - place * 8) }
  }

  /// Takes the first bytes of an IPv4 subnet, whose others are 0.
  package init(four: UInt8..., length: Int) {
    self.init(four + [UInt8](repeating: 0, count: 4 - four.count), length: length)
  }

  /// Takes the first groups of an IPv6 subnet, whose others are 0.
  package init(six: UInt16..., length: Int) {
    let bytes = six.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    self.init(bytes + [UInt8](repeating: 0, count: 16 - bytes.count), length: length)
  }

  package func contains(_ address: SocketAddress) -> Bool {
    let bytes = address.addressBytes
    return bytes.count == first.count && Self(bytes, length: length) == self
  }

  /// Returns the bits of a byte that belong to a prefix which has so many left.
  private static func mask(_ bits: Int) -> UInt8 {
    bits >= 8 ? 0xFF : bits <= 0 ? 0 : ~(0xFF >> UInt8(bits))
  }
}
