package import Foundation
@_spi(WindTunnel) package import WindTunnel

/// The result of an exchange as a client in the same process receives it, with its times.
///
/// A client cannot distinguish two faults with equal values.
package struct DeliveredResult: Sendable, Hashable {
  /// The response or the failure; `nil` if a client that does not give up waits indefinitely.
  package var result: Result<DirectExchange.WholeResponse, DirectExchange.Failure>?
  /// The time from the request to the result; zero without one.
  package var end: Duration
  /// The time from the request to the response's head.
  package var head: Duration?
  /// The longest time without data, which is relevant for idle timeouts.
  package var longestSilence: Duration
}

extension DirectExchange {
  /// Computes what a client receives for a request, without a clock, on an open connection.
  ///
  /// Redirects are not followed. The deck treats this as an exchange like any other.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - moment: The date at which it arrives.
  /// - Returns: The response or the error, and its times.
  package func handed(for request: Request, at moment: Date) -> DeliveredResult {
    var time = Duration.zero
    let reception = Reception(of: request, for: self) { time }
    defer { reception.noteFinished() }
    reception.respond(as: deck.decide(request, lane: lane, at: moment))
    while reception.result == nil, let wake = reception.wakeTime {
      time = wake
      reception.wake()
    }
    let end = reception.result.map { _ in time }
    return DeliveredResult(
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
