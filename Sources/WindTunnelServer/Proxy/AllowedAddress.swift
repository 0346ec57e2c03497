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
