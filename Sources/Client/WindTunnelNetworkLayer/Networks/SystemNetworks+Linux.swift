#if !canImport(Network)
  internal import Foundation

  /// The status of the machine's network, derived from the addresses of its interfaces
  /// (getifaddrs(3)).
  ///
  /// It is online if an active interface other than loopback has an address that is not link-local.
  /// Linux does not report what a network costs; a closure can supply the costs.
  public struct SystemNetworks: Networks {
    private let period: Duration
    private let costs: @Sendable () -> NetworkCosts

    /// Creates a source that polls the addresses.
    ///
    /// - Parameters:
    ///   - period: The polling interval while changes are iterated.
    ///   - costs: Returns the costs of the current network.
    public init(
      period: Duration = .seconds(1),
      costs: @escaping @Sendable () -> NetworkCosts = { [] }
    ) {
      (self.period, self.costs) = (period, costs)
    }

    /// The status according to the current addresses.
    public var status: NetworkStatus { Self.hasAddress ? .online(costs()) : .offline }

    /// The current status and each change that polling finds.
    public var changes: AsyncStream<NetworkStatus> {
      let last = Locked<NetworkStatus?>(nil)
      return AsyncStream {
        while !Task.isCancelled {
          let now = status
          if last.exchange(now) != now { return now }
          // The loop condition checks for a cancelled sleep.
          try? await ContinuousClock().sleep(for: period)
        }
        return nil
      }
    }

    private static var hasAddress: Bool {
      var list: UnsafeMutablePointer<ifaddrs>?
      // If the addresses are unknown, the machine counts as online, and an attempt shows the truth.
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
        // 169.254.0.0/16 is link-local (RFC 3927 §2.1).
        let ip = bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
        return UInt32(bigEndian: ip) >> 16 != 0xA9FE
      case AF_INET6:
        // fe80::/10 is link-local (RFC 4291 §2.5.6).
        let ip = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
        let first = withUnsafeBytes(of: ip) { UInt16($0[0]) << 8 | UInt16($0[1]) }
        return first & 0xFFC0 != 0xFE80
      default: return false
      }
    }
  }
#endif
