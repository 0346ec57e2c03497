internal import WindTunnel

extension ReplayServer {
  /// Tells whether this system can lose attempts to connect: its full accept queues drop them, and say how
  /// many.
  public static var canLoseSYNs: Bool { Platform.dropsSYNs }
}

extension ReplayServer.Options {
  /// The reason why a server cannot play a scenario; `nil` where it can. A proxy fails no
  /// connections of its clients to itself.
  func obstacle(to scenario: Scenario) -> ServerError? {
    guard proxy == nil, !isAdmin else { return nil }
    if scenario.losesSYNs, !Platform.dropsSYNs {
      return .cannotListen(
        "scenario \"\(scenario.name)\" loses attempts to connect, which a full accept queue does on "
          + "Linux alone"
      )
    }
    let showsCertificates = scenario.rules.lazy.filter(\.isForConnections).flatMap(\.faults)
      .contains {
        if case .connection(.tls(let fault)) = $0 { fault.needsCertificate } else { false }
      }
    guard showsCertificates, tls == nil else { return nil }
    return .cannotListen(
      "scenario \"\(scenario.name)\" fails handshakes by their certificates, and this server speaks "
        + "no TLS"
    )
  }

  /// Tells whether attempts to connect to a port of the server are lost.
  func losesSYNs(of deck: Deck) -> Bool { proxy == nil && !isAdmin && deck.scenario.losesSYNs }
}
