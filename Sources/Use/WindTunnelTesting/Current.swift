internal import Testing
public import WindTunnel
internal import WindTunnelServer

#if canImport(FoundationNetworking)
  internal import Foundation
#else
  public import Foundation
#endif

extension Deck {
  /// The deck of the running test.
  ///
  /// Outside a test with a cassette, an issue is recorded at the test's line and the returned deck
  /// is empty.
  public static var current: Deck {
    if let tunnel = Tunnel.current { return tunnel.deck }
    MissingCassette.report("deck")
    return Deck(Cassette())
  }

  /// The base URL for requests to this deck, without a trailing slash.
  ///
  /// It is the loopback server's URL in a test with `.onTheWire`, and the recorded origin
  /// otherwise.
  public var url: String {
    if let tunnel = Tunnel.current, tunnel.deck === self, let server = tunnel.server {
      return server.url
    }
    return origin?.origin ?? "http://localhost"
  }
}

extension URLSession {
  /// A session of the running test, whose responses are from its cassette and never from the
  /// network.
  ///
  /// ```swift
  /// @Test(.cassette("users")) func `the session plays the cassette`() async throws {
  ///   #expect(try await UserAPI(session: .windTunnel).profile(7).name == "Ada")
  /// }
  /// ```
  ///
  /// Outside a test with a cassette, an issue is recorded at the test's line and every task of the
  /// returned session fails.
  public static var windTunnel: URLSession {
    if let tunnel = Tunnel.current { return tunnel.session }
    return URLSession(configuration: .leadingNowhere(MissingCassette.report("session")))
  }
}

extension URLSessionConfiguration {
  /// A configuration of the running test, for code that creates its own sessions.
  ///
  /// These sessions lead to the same cassette as `URLSession.windTunnel`, and share its sequence.
  ///
  /// ```swift
  /// let session = URLSession(configuration: .windTunnel)
  /// ```
  ///
  /// Each access creates a new object, which the caller may change. Outside a test with a cassette,
  /// an issue is recorded at the test's line and every task of its sessions fails.
  public static var windTunnel: URLSessionConfiguration {
    if let tunnel = Tunnel.current { return tunnel.configure() }
    return .leadingNowhere(MissingCassette.report("configuration"))
  }
}

/// The reaction to properties that require a cassette in tests without one.
private enum MissingCassette {
  /// Reports that there is no cassette, at the line of the current test or on standard error.
  ///
  /// - Returns: The error text for a request that is sent nevertheless. If an issue was recorded,
  ///   the text refers to it, so that one mistake is not explained twice. Otherwise it is the same
  ///   explanation.
  @discardableResult
  static func report(_ noun: String) -> String {
    let words = """
      No cassette, so no \(noun): mark the test with .cassette("NAME"), and send requests in the \
      test's own tasks (not in Task.detached, and not in tasks created before the test).
      """
    if let test = Test.current {
      Issue.record(Comment(rawValue: words), sourceLocation: test.sourceLocation)
      return "No cassette, so this request was not sent: see the issue at the test's line."
    }
    // A closed standard error must not end the process, as `write(_:)` would.
    try? FileHandle.standardError.write(contentsOf: Data("\(words)\n".utf8))
    return words
  }
}
