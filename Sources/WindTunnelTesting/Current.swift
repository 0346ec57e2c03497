internal import Testing
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
    MissingCassette.report("deck")
    return Deck(Cassette())
  }

  /// The address at which this deck is asked: the loopback server of a test that flies on the wire,
  /// else the origin that was recorded. No slash at its end.
  public var url: String {
    if let tunnel = Tunnel.current, tunnel.deck === self, let server = tunnel.server {
      return server.url
    }
    return origin?.origin ?? "http://localhost"
  }
}

extension URLSession {
  /// The session of the test that runs here: its own cassette, and never the network by accident.
  ///
  /// Outside a test with a cassette there is none, which is the test's mistake and an issue at its
  /// line; every task of what is returned then fails.
  public static var windTunnel: URLSession {
    if let tunnel = Tunnel.current { return tunnel.session }
    return URLSession(configuration: .leadingNowhere(MissingCassette.report("session")))
  }
}

extension URLSessionConfiguration {
  /// A configuration of the test that runs here, for code that makes its sessions itself: they lead
  /// where `URLSession.windTunnel` leads, and with it play one sequence.
  ///
  /// Each is another object, to be changed at will. Outside a test with a cassette there is none,
  /// which is an issue at the test's line; every task of its sessions then fails.
  public static var windTunnel: URLSessionConfiguration {
    if let tunnel = Tunnel.current { return tunnel.configure() }
    return .leadingNowhere(MissingCassette.report("configuration"))
  }
}

/// Tests that ask for what only a cassette brings along.
private enum MissingCassette {
  /// Says that there is no such thing: at the line of the test that runs here, or on standard error
  /// where none of Swift Testing does.
  ///
  /// - Returns: The same words.
  @discardableResult
  static func report(_ noun: String) -> String {
    let words = """
      There is no \(noun) here: mark the test with .cassette("NAME"), and ask in the test's own tasks \
      (not in Task.detached, not in what was made before the test).
      """
    if let test = Test.current {
      Issue.record(Comment(rawValue: words), sourceLocation: test.sourceLocation)
    } else {
      // A note that nobody can read ends no test; `write(_:)` would end the process.
      try? FileHandle.standardError.write(contentsOf: Data("\(words)\n".utf8))
    }
    return words
  }
}
