package import Foundation
@_spi(WindTunnel) package import WindTunnel

/// The things that a client in process is handed of an exchange, and when: two faults of which it
/// is handed the same it cannot tell apart.
package struct Handed: Sendable, Hashable {
  /// The response or the failure; `nil` if a client that does not give up waits forever.
  package var result: Result<DirectExchange.WholeResponse, DirectExchange.Failure>?
  /// The time from the request to the result; zero without one.
  package var end: Duration
  /// The time from the request to the answer's head.
  package var head: Duration?
  /// The longest time for which nothing came, by which time limits between two bytes go.
  package var longestSilence: Duration
}

extension DirectExchange {
  /// Works out what a client is handed of an answer, without a clock and without following
  /// redirects, on a connection that is open. The deck takes it for an exchange like any other.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - moment: The time of day at which it comes.
  /// - Returns: The answer or the error, and its times.
  package func handed(for request: Request, at moment: Date) -> Handed {
    var time = Duration.zero
    let reception = Reception(of: request, for: self) { time }
    defer { reception.noteFinished() }
    reception.respond(as: deck.decide(request, lane: lane, at: moment))
    while reception.result == nil, let wake = reception.wakeTime {
      time = wake
      reception.wake()
    }
    let end = reception.result.map { _ in time }
    return Handed(
      result: reception.result,
      end: end ?? .zero,
      head: reception.headTime,
      longestSilence: max(
        reception.longestSilence,
        end.map { $0 - reception.lastActivity } ?? .zero
      )
    )
  }
}
