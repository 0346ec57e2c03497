internal import Foundation

/// The machine that a proxy runs on, as far as its peers and what they ask for have to do with it.
struct OwnMachine: Sendable {
  /// The address that the proxy listens at: who comes from it is this machine.
  private let own: String
  /// Tells whether the proxy listens at every address, where this machine comes by the loopback
  /// interface.
  private let isAnyAddress: Bool
  /// The subnet of the address that the proxy listens at, as the interface has it.
  let network: Subnet?

  init(listeningAt host: String, network: Subnet? = nil) {
    own = SocketAddress.spelled(host)
    isAnyAddress = PrivateAddress.isAnyAddress(host) == true
    self.network = network
  }

  /// Tells whether a peer is this machine.
  func isPeer(_ peer: String) -> Bool {
    peer == own || isAnyAddress && PrivateAddress.isLoopback(peer)
  }

  /// Finds out by which address this machine would speak to another one, without a packet:
  /// connecting a datagram socket asks for the route alone. To an address of its own a machine
  /// speaks from that address; on Linux to a further one of an interface from its first (the
  /// route's `prefsrc`), so the interfaces are asked before.
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
  /// An address of this machine, with its network interface.
  public struct Candidate: Sendable, Hashable {
    /// The address as a literal, such as `192.168.1.5`.
    public var host: String
    /// The interface's name, such as `en0`.
    public var interface: String

    /// Makes a candidate of an address and its interface's name.
    public init(_ host: String, _ interface: String) {
      (self.host, self.interface) = (host, interface)
    }
  }

  /// The reason why there is no address to listen at.
  public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The machine has no private address.
    case none
    /// The machine has several private addresses, and none was asked for.
    case several([Candidate])
    /// The requested address is none of this machine's.
    case notHere(String, [Candidate])
    /// The requested address can be reached from outside.
    case notPrivate(String)

    /// The problem in a sentence.
    public var description: String {
      switch self {
      case .none:
        "This machine has no private address (10.x, 172.16.x to 172.31.x, 192.168.x or fc00::/7); "
          + "join the network that the phone is in."
      case .several(let candidates):
        "This machine has several private addresses: \(Self.list(candidates)). Choose the one that "
          + "the phone can reach, such as --bind \(candidates.first?.host ?? "ADDR")."
      case .notHere(let host, let candidates):
        candidates.isEmpty
          ? "\(host) is no address of this machine, which has no private one."
          : "\(host) is no address of this machine; there are \(Self.list(candidates))."
      case .notPrivate(let host):
        "\(host) can be reached from outside the local network; a proxy there would be open to all. "
          + "Choose a private address of this machine."
      }
    }

    private static func list(_ candidates: [Candidate]) -> String {
      candidates.map { "\($0.host) (\($0.interface))" }.joined(separator: ", ")
    }
  }

  /// Chooses the address to listen at: the requested one, else the only private one, of IPv4 if
  /// there is any, since that is easier to type into a phone's proxy settings.
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

  /// Tells whether an address literal belongs to a private network: 10/8, 172.16/12 and 192.168/16
  /// (RFC 1918 §3), fc00::/7 (RFC 4193 §3.1).
  public static func isPrivate(_ host: String) -> Bool {
    guard let bytes = SocketAddress(host, port: 0)?.addressBytes else { return false }
    guard bytes.count == 4 else { return bytes.first.map { $0 & 0xFE == 0xFC } ?? false }
    switch (bytes[0], bytes[1]) {
    case (10, _), (172, 16...31), (192, 168): return true
    default: return false
    }
  }

  /// Tells whether an address literal is a loopback address: 127/8 (RFC 1122 §3.2.1.3) or ::1.
  public static func isLoopback(_ host: String) -> Bool {
    guard let bytes = SocketAddress(host, port: 0)?.addressBytes else { return false }
    return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// Tells whether an address literal stands for every address of this machine, `0.0.0.0` or `::`;
  /// `nil` for text that is not a literal.
  public static func isAnyAddress(_ host: String) -> Bool? {
    SocketAddress(host, port: 0)?.addressBytes.allSatisfy { $0 == 0 }
  }

  /// Returns the host of a URL by which this machine reaches what listens at an address: of all
  /// addresses the one that it has for sure.
  static func loopback(like host: String) -> String {
    let isAny = isAnyAddress(host) == true
    let reached = isAny ? (host.contains(":") ? "::1" : "127.0.0.1") : host
    return reached.contains(":") ? "[\(reached)]" : reached
  }

  /// The private addresses of this machine's interfaces that are up.
  public static var ofThisMachine: [Candidate] {
    InterfaceAddress.all.filter { isPrivate($0.address.host) }
      .map { Candidate($0.address.host, $0.interface) }
  }
}

extension Subnet {
  /// Returns the subnet of an interface of this machine, by its address; `nil` where none has that
  /// address.
  static func ofInterface(at address: SocketAddress) -> Subnet? {
    let found = InterfaceAddress.all.first { $0.address.addressBytes == address.addressBytes }
    return found.map { Subnet($0.address.addressBytes, length: $0.length) }
  }
}

/// An address that an interface of this machine has.
private struct InterfaceAddress {
  let address: SocketAddress
  /// The number of its bits that are its subnet's.
  let length: Int
  let interface: String

  /// Those of the interfaces that are up.
  static var all: [InterfaceAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var addresses: [InterfaceAddress] = []
    var entry = list
    while let current = entry {
      let interface = current.pointee
      entry = interface.ifa_next
      // An interface without an address is listed, too.
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

  /// Returns the number of bits of a mask. It need not say its family, and may be cut behind its
  /// last bit.
  private static func length(of mask: UnsafePointer<sockaddr>, for address: SocketAddress) -> Int {
    let start = address.family == AF_INET ? 4 : 8
    let end = min(start + address.addressBytes.count, Platform.length(of: mask))
    guard end > start else { return 0 }
    return UnsafeRawBufferPointer(start: mask, count: end)[start...]
      .reduce(0) { $0 + $1.nonzeroBitCount }
  }
}
