#if os(Linux)
  import WindTunnelNetworkLayer

  extension SystemNetworks {
    /// Asked for the addresses so often that a test need not wait for a second.
    static let often = SystemNetworks(period: .milliseconds(10))
  }
#endif
