internal import Testing
public import WindTunnel
internal import WindTunnelServer
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension Deck {
  /// The deck of the running test.
  ///
  /// Outside a test with a cassette there is none: an issue is recorded at the line, and the deck
  /// that is returned is empty.
  public static var current: Deck {
    if let tunnel = Tunnel.current { return tunnel.deck }
    MissingCassette.report("deck")
    return Deck(Cassette())
  }

  /// The URL to call for this deck's answers, without a slash at its end: the loopback server's in
  /// a test with `.onTheWire`, else the recorded origin.
  public var url: String {
    if let tunnel = Tunnel.current, tunnel.deck === self, let server = tunnel.server {
      return server.url
    }
    return origin?.origin ?? "http://localhost"
  }
}

extension URLSession {
  /// A session of the running test, which is answered by its cassette and never by the network.
  ///
  /// ```swift
  /// @Test(.cassette("users")) func `the session plays the cassette`() async throws {
  ///   #expect(try await UserAPI(session: .windTunnel).profile(7).name == "Ada")
  /// }
  /// ```
  ///
  /// Outside a test with a cassette there is none: an issue is recorded at the line, and every task
  /// of the session that is returned fails.
  public static var windTunnel: URLSession {
    if let tunnel = Tunnel.current { return tunnel.session }
    return URLSession(configuration: .leadingNowhere(MissingCassette.report("session")))
  }
}

extension URLSessionConfiguration {
  /// A configuration of the running test, for code that makes its own sessions: they lead where
  /// `URLSession.windTunnel` leads, and play one sequence together with it.
  ///
  /// ```swift
  /// let session = URLSession(configuration: .windTunnel)
  /// ```
  ///
  /// Each access makes a new object, to be changed at will. Outside a test with a cassette there is
  /// none: an issue is recorded at the line, and every task of its sessions fails.
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
  /// - Returns: What a request that is sent all the same fails with: where the line has the words,
  ///   a reference to them, so that one mistake is not told twice; else the same words.
  @discardableResult
  static func report(_ noun: String) -> String {
    let words = """
      There is no \(noun) here: mark the test with .cassette("NAME"), and ask in the test's own tasks \
      (not in Task.detached, not in what was made before the test).
      """
    if let test = Test.current {
      Issue.record(Comment(rawValue: words), sourceLocation: test.sourceLocation)
      return "There is no \(noun) here, so this was not sent: see the issue at the test's line."
    }
    // A note that nobody can read ends no test; `write(_:)` would end the process.
    try? FileHandle.standardError.write(contentsOf: Data("\(words)\n".utf8))
    return words
  }
}
