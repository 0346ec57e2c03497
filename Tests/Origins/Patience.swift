public import WindTunnelServer

/// All tests run at once, so that one may wait for its turn between two steps for longer than a server
/// waits for its clients.
extension Limits {
  /// An hour for whatever a peer may be late with.
  public static let patient: Limits = {
    var limits = Limits()
    limits.idleSeconds = 3600
    limits.requestSeconds = 3600
    limits.sendSeconds = 3600
    limits.handshakeSeconds = 3600
    limits.lingerSeconds = 3600
    limits.connectSeconds = 3600
    limits.responseSeconds = 3600
    limits.halfClosedSeconds = 3600
    limits.upstreamIdleSeconds = 3600
    limits.tunnelIdleSeconds = 3600
    limits.unpairedSeconds = 3600
    return limits
  }()
}

extension ReplayServer.Options {
  /// The defaults, with ``Limits/patient``.
  public static var patient: ReplayServer.Options {
    var options = ReplayServer.Options()
    options.limits = .patient
    return options
  }
}
