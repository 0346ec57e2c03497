#if canImport(Darwin)
  import WindTunnelNetworkLayer

  extension SystemNetworks {
    /// The system tells of each change by itself.
    static let often = SystemNetworks()
  }
#endif
