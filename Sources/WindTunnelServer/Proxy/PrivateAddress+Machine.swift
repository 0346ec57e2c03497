internal import Foundation

extension PrivateAddress {
  /// The private addresses of this machine's interfaces that are up.
  public static var ofThisMachine: [Candidate] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var candidates: [Candidate] = []
    var entry = list
    while let current = entry {
      let interface = current.pointee
      entry = interface.ifa_next
      // An interface without an address is listed, too.
      guard let system = interface.ifa_addr, let address = SocketAddress(UnsafePointer(system)),
        UInt32(interface.ifa_flags) & Platform.interfaceUp != 0, isPrivate(address.host)
      else { continue }
      candidates.append(Candidate(address.host, String(cString: interface.ifa_name)))
    }
    return candidates
  }
}
