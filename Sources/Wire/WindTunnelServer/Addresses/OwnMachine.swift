internal import Foundation

/// The machine of a proxy, as far as it concerns its peers and their requests.
struct OwnMachine: Sendable {
  /// The proxy's listening address; a peer with this address is this machine.
  private let own: String
  /// Whether the proxy listens at every address, so that this machine connects over the loopback
  /// interface.
  private let isAnyAddress: Bool
  /// The subnet of the listening address, according to the interface.
  let network: Subnet?

  init(listeningAt host: String, network: Subnet? = nil) {
    own = SocketAddress.spelled(host)
    isAnyAddress = PrivateAddress.isAnyAddress(host) == true
    self.network = network
  }

  /// Whether a peer is this machine.
  func isPeer(_ peer: String) -> Bool {
    peer == own || isAnyAddress && PrivateAddress.isLoopback(peer)
  }

  /// Returns the local address for a connection to another address, without sending a packet:
  /// connecting a datagram socket only looks up the route.
  ///
  /// A connection to a local address has the same local end. On Linux, the route of an interface's
  /// additional address returns the first one (`prefsrc`), so the interfaces are checked first.
  static func localEnd(towards destination: SocketAddress) -> LocalEnd {
    if Subnet.ofInterface(at: destination.unmapped) != nil { return .at(destination) }
    let descriptor = Platform.datagramSocket(destination.family)
    guard descriptor >= 0 else { return errno == EAFNOSUPPORT ? .nowhere : .unknown }
    defer { Platform.close(descriptor) }
    guard destination.withSystem({ connect(descriptor, $0, $1) }) == 0 else {
      return errno == ENETUNREACH || errno == EHOSTUNREACH ? .nowhere : .unknown
    }
    return SocketAddress.asked { getsockname(descriptor, $0, $1) }.map { .at($0) } ?? .unknown
  }
}

/// The addresses of a machine that devices in its network can reach and the Internet cannot.
public enum PrivateAddress {
  /// An address of this machine with its network interface.
  public struct Candidate: Sendable, Hashable {
    /// The address as a literal, such as `192.168.1.5`.
    public var host: String
    /// The interface's name, such as `en0`.
    public var interface: String

    /// Creates a candidate from an address and its interface's name.
    public init(_ host: String, _ interface: String) {
      (self.host, self.interface) = (host, interface)
    }
  }

  /// The reason why no listening address can be chosen.
  public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The machine has no private address.
    case none
    /// The machine has several private addresses, and none was requested.
    case several([Candidate])
    /// The requested address does not belong to this machine.
    case notHere(String, [Candidate])
    /// The requested address can be reached from outside.
    case notPrivate(String)

    /// The problem in a sentence.
    public var description: String {
      switch self {
      case .none:
        "This machine has no private address (10.x, 172.16.x to 172.31.x, 192.168.x or fc00::/7). "
          + "Join the network of the phone."
      case .several(let candidates):
        "This machine has several private addresses: \(Self.list(candidates)). Choose an address "
          + "that the phone can reach, such as --bind \(candidates.first?.host ?? "ADDR")."
      case .notHere(let host, let candidates):
        candidates.isEmpty
          ? "\(host) is not an address of this machine, which has no private address."
          : "\(host) is not an address of this machine, which has \(Self.list(candidates))."
      case .notPrivate(let host):
        "\(host) can be reached from outside the local network, so the proxy would be open to all. "
          + "Choose a private address of this machine."
      }
    }

    private static func list(_ candidates: [Candidate]) -> String {
      candidates.map { "\($0.host) (\($0.interface))" }.joined(separator: ", ")
    }
  }

  /// Chooses the listening address: the requested one, or else the only private one.
  ///
  /// IPv4 is preferred, because it is easier to type into a phone's proxy settings.
  public static func choose(
    from candidates: [Candidate],
    asked: String? = nil
  ) throws(Problem) -> String {
    let usable = candidates.filter { isPrivate($0.host) }
    if let asked = asked.map(SocketAddress.spelled) {
      if isLoopback(asked) { return asked }
      guard isPrivate(asked) else { throw .notPrivate(asked) }
      guard usable.contains(where: { $0.host == asked }) else { throw .notHere(asked, usable) }
      return asked
    }
    let four = usable.filter { !$0.host.contains(":") }
    let choices = four.isEmpty ? usable : four
    guard let only = choices.first else { throw .none }
    guard choices.count == 1 else { throw .several(choices) }
    return only.host
  }

  /// Whether an address literal belongs to a private network: 10/8, 172.16/12 and 192.168/16 (RFC
  /// 1918 §3), fc00::/7 (RFC 4193 §3.1).
  public static func isPrivate(_ host: String) -> Bool {
    guard let bytes = SocketAddress(host, port: 0)?.addressBytes else { return false }
    guard bytes.count == 4 else { return bytes.first.map { $0 & 0xFE == 0xFC } ?? false }
    switch (bytes[0], bytes[1]) {
    case (10, _), (172, 16...31), (192, 168): return true
    default: return false
    }
  }

  /// Whether an address literal is a loopback address: 127/8 (RFC 1122 §3.2.1.3) or ::1.
  public static func isLoopback(_ host: String) -> Bool {
    guard let bytes = SocketAddress(host, port: 0)?.addressBytes else { return false }
    return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// Whether an address literal means every address of this machine, `0.0.0.0` or `::`; `nil` for
  /// text that is not a literal.
  public static func isAnyAddress(_ host: String) -> Bool? {
    SocketAddress(host, port: 0)?.addressBytes.allSatisfy { $0 == 0 }
  }

  /// Returns the host with which this machine reaches a listening address. If the address means all
  /// addresses, it is the loopback address, which always exists.
  static func loopback(like host: String) -> String {
    let isAny = isAnyAddress(host) == true
    let reached = isAny ? (host.contains(":") ? "::1" : "127.0.0.1") : host
    return reached.contains(":") ? "[\(reached)]" : reached
  }

  /// The private addresses of this machine's active interfaces.
  public static var ofThisMachine: [Candidate] {
    InterfaceAddress.all.filter { isPrivate($0.address.host) }
      .map { Candidate($0.address.host, $0.interface) }
  }
}

extension Subnet {
  /// Returns the subnet of an interface of this machine by its address; `nil` if no interface has
  /// that address.
  static func ofInterface(at address: SocketAddress) -> Subnet? {
    let found = InterfaceAddress.all.first { $0.address.addressBytes == address.addressBytes }
    return found.map { Subnet($0.address.addressBytes, length: $0.length) }
  }
}

/// An address of an interface of this machine.
private struct InterfaceAddress {
  let address: SocketAddress
  /// The number of the subnet's bits.
  let length: Int
  let interface: String

  /// The addresses of all active interfaces.
  static var all: [InterfaceAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var addresses: [InterfaceAddress] = []
    var entry = list
    while let current = entry {
      let interface = current.pointee
      entry = interface.ifa_next
      // Interfaces without an address are also listed.
      guard let system = interface.ifa_addr, let address = SocketAddress(UnsafePointer(system)),
        UInt32(interface.ifa_flags) & Platform.interfaceUp != 0
      else { continue }
      addresses.append(
        InterfaceAddress(
          address: address,
          length: interface.ifa_netmask.map { length(of: $0, for: address) }
            ?? address.addressBytes.count * 8,
          interface: String(cString: interface.ifa_name)
        )
      )
    }
    return addresses
  }

  /// Returns the number of bits of a mask. Its family may be missing, and it may be truncated after
  /// its last bit.
  private static func length(of mask: UnsafePointer<sockaddr>, for address: SocketAddress) -> Int {
    let start = address.family == AF_INET ? 4 : 8
    let end = min(start + address.addressBytes.count, Platform.length(of: mask))
    guard end > start else { return 0 }
    return UnsafeRawBufferPointer(start: mask, count: end)[start...]
      .reduce(0) { $0 + $1.nonzeroBitCount }
  }
}
