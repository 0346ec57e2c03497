@_spi(WindTunnel) internal import WindTunnelCore

/// The requests that should have been recorded and have no recording.
package final class Unrecorded: Sendable {
  private struct Passed {
    var ticket: Int
    var request: Request
  }

  private let passed = Locked<[Passed]>([])
  /// The maximum number of requests that are listed one by one.
  private static let linesMax = 10

  package init() {}

  /// Observes an event of the deck.
  package func observe(_ event: ExchangeEvent) {
    guard case .ended(let outcome, _) = event, case .forward(let ticket?) = outcome.source else {
      return
    }
    // The content is not needed here.
    let request = Request(outcome.request.method, outcome.request.url)
    passed.withLock { $0.append(Passed(ticket: ticket, request: request)) }
  }

  /// Returns a line for each request without secrets: the request, and the reason why it has no
  /// recording.
  package func lines(_ deck: Deck) -> [String] {
    let passed = passed.withLock { $0 }
    let recorded = deck.newRecordings
    let missing = passed.filter { !recorded.has($0.ticket) }
    var redaction = Redaction(continuing: [], rules: deck.redaction)
    var lines = missing.prefix(Self.linesMax).map { passed in
      let url = redaction.address(passed.request.url)
      if let reason = recorded.reasonUnasked(passed.ticket) {
        return "\(passed.request.method) \(url): \(reason)"
      }
      let reason =
        recorded.unread[passed.ticket]
        ?? "the recording ended before the response was complete"
      return "\(passed.request.method) \(url): \(reason)"
    }
    let rest = missing.count - lines.count
    if rest > 0 { lines.append("\(rest) more, for the same reasons") }
    return lines
  }
}
