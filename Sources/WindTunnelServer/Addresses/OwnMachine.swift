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

  /// Finds out by which address this machine would speak to another one, without a packet: connecting
  /// a datagram socket asks for the route alone. To an address of its own a machine speaks from that
  /// address; on Linux to a further one of an interface from its first (the route's `prefsrc`), so
  /// the interfaces are asked before.
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

extension PrivateAddress {
  /// The private addresses of this machine's interfaces that are up.
  public static var ofThisMachine: [Candidate] {
    InterfaceAddress.all.filter { isPrivate($0.address.host) }
      .map { Candidate($0.address.host, $0.interface) }
  }
}

extension Subnet {
  /// The subnet of an interface of this machine, by its address; `nil` where none has that address.
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
