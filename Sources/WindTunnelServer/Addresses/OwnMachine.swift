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
