/// The addresses that a proxy connects to for a peer that is another machine.
///
/// Such a peer gets to nothing by the proxy that it could not reach by itself: neither to the machine
/// that the proxy runs on, nor to the private networks which that machine is in and the peer is not. What
/// is judged is the address that is about to be connected to; a name says nothing, since it may have
/// another address the next time.
struct AddressPolicy: Sendable, Hashable {
  /// The subnet that the peer came from; `nil` where it came from further away than the network that
  /// the proxy listens at.
  private let subnet: Subnet?
  private let exceptions: [AllowedAddress]

  /// - Parameters:
  ///   - peer: The peer's address.
  ///   - network: The subnet of the address that the proxy listens at.
  ///   - exceptions: What whoever runs the proxy has let in by name.
  init(for peer: SocketAddress?, in network: Subnet?, allowing exceptions: [AllowedAddress] = []) {
    let isNear = peer.map { network?.contains($0.unmapped) ?? false } ?? false
    subnet = isNear ? network : nil
    self.exceptions = exceptions
  }

  /// Why an address is not connected to; `nil` for one that is. `localEnd` tells which address of this
  /// machine would speak to another one.
  func refusal(
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
    return reason.map { AddressRefusal(address, $0) }
  }

  private func reason(
    against address: SocketAddress,
    from subnet: Subnet?,
    asking localEnd: (SocketAddress) -> LocalEnd
  ) -> AddressRefusal.Reason? {
    switch address.scope {
    case .unspecified: return .unspecified
    case .loopback: return .loopback
    case .linkLocal: return .linkLocal
    case .multicast: return .multicast
    case .limited, .global: break
    }
    switch localEnd(address) {
    case .at(let own) where own.unmapped.addressBytes == address.addressBytes: return .own
    case .unknown: return .unknown
    case .at, .nowhere: break
    }
    if address.scope == .global || subnet?.contains(address) == true { return nil }
    return .limited
  }
}

/// The end of a connection on this machine, before there is the connection.
enum LocalEnd: Sendable, Hashable {
  case at(SocketAddress)
  /// There is no way to the other end.
  case nowhere
  /// The system would not tell.
  case unknown
}

/// An address that a proxy does not connect a peer to.
public struct AddressRefusal: Sendable, Hashable, CustomStringConvertible {
  enum Reason: Sendable, Hashable {
    case loopback, unspecified, linkLocal, multicast, own, limited, unknown
  }

  let address: SocketAddress
  let reason: Reason

  init(_ address: SocketAddress, _ reason: Reason) {
    (self.address, self.reason) = (address, reason)
  }

  /// The sentence for whoever asked, and for whoever runs the proxy.
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

/// An address that a proxy connects other machines to, although it would not by itself.
public struct AllowedAddress: Sendable, Hashable {
  private let address: SocketAddress
  /// Tells whether it is meant at every port.
  private let isAnyPort: Bool

  /// Reads `10.1.2.3`, `10.1.2.3:8080`, `fd00::7` or `[fd00::7]:8080`; `nil` for what is no address of
  /// one machine, and for a loopback address without a port: too much of a machine listens there that
  /// is not meant, the proxy's own admin port included.
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
    case .loopback, .linkLocal, .limited, .global: break
    }
  }

  func covers(_ other: SocketAddress) -> Bool {
    (isAnyPort ? other.at(port: 0) : other).isSame(as: address)
  }
}

extension SocketAddress {
  /// Tells whether address and port are the same, whatever interface they are said to be of.
  fileprivate func isSame(as other: SocketAddress) -> Bool {
    addressBytes == other.addressBytes && port == other.port
  }
}
