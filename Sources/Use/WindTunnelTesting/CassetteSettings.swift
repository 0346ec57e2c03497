internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

/// The settings of a test's cassette: playing, recording, and expectations.
struct CassetteSettings: Sendable {
  /// The options of playing. Whether it records depends on the machine.
  var options = PlaybackOptions()
  /// The conditions that must hold at the end.
  var expectation: CassetteExpectation = []

  /// The clock of a test whose recorded dates are moved to today.
  static let today: @Sendable () -> Date = { Date() }

  /// Throws if a host is mapped to a URL without a host.
  func check() throws {
    for (name, url) in options.mapping.sorted(by: { $0.key < $1.key }) where url.host == nil {
      throw CassetteProblem(
        "mapping: the URL \(url) for \(name) has no host; "
          + "write it as [\"\(name)\": \"http://127.0.0.1:8000\"]."
      )
    }
  }

  /// Returns a deck of a cassette. Mappings must have been checked with ``check()``.
  func deck(_ cassette: Cassette, _ mode: RecordMode, journal: RecordingJournal? = nil) -> Deck {
    var options = options
    options.mode = mode
    return Deck(cassette, options: options, recordingJournal: journal)
  }

  /// Returns the live server for a recording on the wire: its name on the cassette, and its
  /// address.
  ///
  /// `nil` if neither the cassette nor a single mapped host specifies it.
  func upstream(of origin: RequestURL?) -> (name: RequestURL, place: RequestURL)? {
    if let origin, let host = origin.host {
      let names = (origin.effectivePort.map { ["\(host):\($0)"] } ?? []) + [host]
      // A name with a port is more specific. Keys that differ only in case are sorted, too.
      let keys = options.mapping.keys.sorted()
      let key = names.lazy.compactMap { name in keys.first { $0.lowercased() == name } }.first
      let mapped = key.flatMap { options.mapping[$0] }
      return (origin, mapped ?? origin)
    }
    guard options.mapping.count == 1, let (name, place) = options.mapping.first else { return nil }
    // A mapped host is requested with HTTPS, or with the server's own scheme if the names are
    // equal.
    let isItself = place.host == RequestURL("http://\(name)").host
    return (RequestURL("\(isItself ? place.scheme ?? "https" : "https")://\(name)"), place)
  }
}

extension Deck {
  /// Returns the warnings about a deck that do not fail the test.
  ///
  /// - Parameters:
  ///   - expectation: The conditions that fail the test and are therefore reported elsewhere.
  ///   - name: The name of the cassette.
  /// - Returns: A sentence for each.
  func oversights(expecting expectation: CassetteExpectation, of name: String) -> [String] {
    guard !journal.isEmpty else { return [Self.noRequest(to: name)] }
    let rules = expectation.contains(.everyRule) ? [] : unmetRules.map { "\($0)" }
    return playedTrailers ? rules + [Self.trailers(of: name)] : rules
  }

  private static func trailers(of name: String) -> String {
    "A response of \(name) has trailers, which URLSession does not report; use serve to send them."
  }

  /// Returns a warning for a test that threw although no request reached the deck.
  ///
  /// The network may then have responded, and the test may have thrown because of that.
  ///
  /// - Parameters:
  ///   - error: The error of the test.
  ///   - name: The name of the cassette.
  /// - Returns: A sentence; `nil` if there were requests, if the test was cancelled, or if the
  ///   harness failed before any request.
  func oversight(after error: any Error, of name: String) -> String? {
    guard journal.isEmpty, !Task.isCancelled else { return nil }
    switch error {
    case is CancellationError, is CassetteProblem, is FormatError, is ServerError: return nil
    default: return Self.noRequest(to: name)
    }
  }

  private static func noRequest(to name: String) -> String {
    """
    No request reached \(name): let the code under test use URLSession.windTunnel, or remove \
    the cassette.
    """
  }
}
