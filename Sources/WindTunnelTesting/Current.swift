public import WindTunnel
internal import WindTunnelServer

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension Deck {
  /// The deck of the test that runs here.
  ///
  /// Outside a test with a cassette there is none, which is the test's mistake and an issue at its
  /// line; what is returned then is empty.
  public static var current: Deck {
    if let tunnel = Tunnel.current { return tunnel.deck }
    Forgotten.tell(of: "deck")
    return Deck(Cassette())
  }

  /// Where this deck is asked: the loopback server of a test that flies on the wire, else the
  /// origin that was recorded. No slash at its end.
  public var url: String {
    if let tunnel = Tunnel.current, tunnel.deck === self, let server = tunnel.server {
      return server.url
    }
    return origin?.origin ?? "http://localhost"
  }
}

extension URLSession {
  /// The session of the test that runs here: its own tape, and never the network by accident.
  ///
  /// Outside a test with a cassette there is none, which is the test's mistake and an issue at its
  /// line; every task of what is returned then fails.
  public static var windTunnel: URLSession {
    if let tunnel = Tunnel.current { return tunnel.session }
    return URLSession(configuration: .leadingNowhere(Forgotten.tell(of: "session")))
  }
}

extension URLSessionConfiguration {
  /// A configuration of the test that runs here, for code that makes its sessions itself: they lead where
  /// `URLSession.windTunnel` leads, and with it play one sequence.
  ///
  /// Each is another object, to be changed at will. Outside a test with a cassette there is none, which
  /// is an issue at the test's line; every task of its sessions then fails.
  public static var windTunnel: URLSessionConfiguration {
    if let tunnel = Tunnel.current { return tunnel.configure() }
    return .leadingNowhere(Forgotten.tell(of: "configuration"))
  }
}
