#if !canImport(Network)
  internal import Foundation

  /// The status of the machine's network by the addresses of its interfaces: it is online where one
  /// that is up and no loopback has an address that is not of its link alone (getifaddrs(3)).
  ///
  /// Nothing on Linux says what a network costs; whoever knows tells it in a closure.
  public struct SystemNetworks: Networks {
    private let period: Duration
    private let costs: @Sendable () -> NetworkCosts

    /// Makes a source that asks for the addresses.
    ///
    /// - Parameters:
    ///   - period: The time from one question to the next while changes are iterated.
    ///   - costs: Returns the costs of the network that there is.
    public init(
      period: Duration = .seconds(1),
      costs: @escaping @Sendable () -> NetworkCosts = { [] }
    ) {
      (self.period, self.costs) = (period, costs)
    }

    /// The status by the addresses that there are now.
    public var status: NetworkStatus { Self.hasAddress ? .online(costs()) : .offline }

    /// The status now and each change of it that a question finds.
    public var changes: AsyncStream<NetworkStatus> {
      let last = Locked<NetworkStatus?>(nil)
      return AsyncStream {
        while !Task.isCancelled {
          let now = status
          if last.exchange(now) != now { return now }
          // A cancelled sleep is seen at the top of the loop.
          try? await ContinuousClock().sleep(for: period)
        }
        return nil
      }
    }

    private static var hasAddress: Bool {
      var list: UnsafeMutablePointer<ifaddrs>?
      // A machine that cannot say is taken to be online: an attempt shows it.
      guard getifaddrs(&list) == 0 else { return true }
      defer { freeifaddrs(list) }
      var next = list
      while let interface = next?.pointee {
        if isUsable(interface) { return true }
        next = interface.ifa_next
      }
      return false
    }

    private static func isUsable(_ interface: ifaddrs) -> Bool {
      let wanted = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
      guard interface.ifa_flags & wanted == wanted,
        interface.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
        let address = interface.ifa_addr
      else { return false }
      let bytes = UnsafeRawPointer(address)
      switch Int32(address.pointee.sa_family) {
      case AF_INET:
        // RFC 3927 §2.1: 169.254.0.0/16 is of the link alone.
        let ip = bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
        return UInt32(bigEndian: ip) >> 16 != 0xA9FE
      case AF_INET6:
        // RFC 4291 §2.5.6: fe80::/10 is of the link alone.
        let ip = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
        let first = withUnsafeBytes(of: ip) { UInt16($0[0]) << 8 | UInt16($0[1]) }
        return first & 0xFFC0 != 0xFE80
      default: return false
      }
    }
  }
#endif
