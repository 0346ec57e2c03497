internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

/// The settings of a test's cassette: playing, recording, and the expectation of it.
struct CassetteSettings: Sendable {
  /// The options by which it is played; recording depends on the machine that it is on.
  var options = PlaybackOptions()
  /// The demands on the cassette at the end.
  var expectation: CassetteExpectation = []

  /// The clock of a test whose recordings are played as if they were of today.
  static let today: @Sendable () -> Date = { Date() }

  /// Refuses what would lead nowhere.
  func check() throws {
    for (name, url) in options.mapping.sorted(by: { $0.key < $1.key }) where url.host == nil {
      throw CassetteProblem(
        "mapping: \(name) is to be asked at \(url), which names no host; "
          + "say it as [\"\(name)\": \"http://127.0.0.1:8000\"]."
      )
    }
  }

  /// Returns a deck of a cassette; what is mapped was checked (``check()``).
  func deck(_ cassette: Cassette, _ mode: RecordMode, journal: RecordingJournal? = nil) -> Deck {
    var options = options
    options.mode = mode
    return Deck(cassette, options: options, recordingJournal: journal)
  }

  /// Returns the server that a recording on the wire stands in front of: what it is called on the
  /// cassette, and where it is. `nil` where neither the cassette nor the only host that is mapped
  /// tells.
  func upstream(of origin: RequestURL?) -> (name: RequestURL, place: RequestURL)? {
    if let origin, let host = origin.host {
      let names = (origin.effectivePort.map { ["\(host):\($0)"] } ?? []) + [host]
      // The name with a port says more. Keys that differ in case alone have an order, too.
      let keys = options.mapping.keys.sorted()
      let key = names.lazy.compactMap { name in keys.first { $0.lowercased() == name } }.first
      let mapped = key.flatMap { options.mapping[$0] }
      return (origin, mapped ?? origin)
    }
    guard options.mapping.count == 1, let (name, place) = options.mapping.first else { return nil }
    // What is mapped is a host; it is asked for by https, or as a server that bears its own name.
    let isItself = place.host == RequestURL("http://\(name)").host
    return (RequestURL("\(isItself ? place.scheme ?? "https" : "https")://\(name)"), place)
  }
}

extension Deck {
  /// Lists what a test should know of its deck although it does not fail the test.
  ///
  /// - Parameters:
  ///   - expectation: What fails the test, and so is told elsewhere.
  ///   - name: What is played.
  /// - Returns: A sentence for each.
  func oversights(expecting expectation: CassetteExpectation, of name: String) -> [String] {
    guard !journal.isEmpty else { return [Self.noRequest(to: name)] }
    let rules = expectation.contains(.everyRule) ? [] : unmetRules.map { "\($0)" }
    return playedTrailers ? rules + [Self.trailers(of: name)] : rules
  }

  private static func trailers(of name: String) -> String {
    "A response of \(name) has trailers, which URLSession does not show; serve plays them to others."
  }

  /// Returns what a test that has thrown should know of its deck: that no request came to it, since
  /// then the network may have answered, and the test have thrown for that.
  ///
  /// - Parameters:
  ///   - error: The error of the test.
  ///   - name: What is played.
  /// - Returns: A sentence; `nil` where requests came, where the test was cancelled, and where the
  ///   harness has refused something before any could come.
  func oversight(after error: any Error, of name: String) -> String? {
    guard journal.isEmpty, !Task.isCancelled else { return nil }
    switch error {
    case is CancellationError, is CassetteProblem, is FormatError, is ServerError: return nil
    default: return Self.noRequest(to: name)
    }
  }

  private static func noRequest(to name: String) -> String {
    """
    No request came to \(name): have the code under test ask through URLSession.windTunnel, or \
    take the cassette away.
    """
  }
}
