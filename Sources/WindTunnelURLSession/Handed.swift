package import Foundation
@_spi(WindTunnel) package import WindTunnel
package import WindTunnelSymptoms

/// The things that a client in process is handed of an exchange, and when: two faults of which it
/// is handed the same it cannot tell apart.
package struct Handed: Sendable, Hashable {
  /// The ways in which an exchange ends.
  package enum Ending: Sendable, Hashable {
    /// An answer, its body without content coding.
    case answer(ResponseHead, Data)
    /// An error, as the platform has it.
    case failure(Symptom)
    /// Nothing: whoever does not give up waits for good.
    case nothing
    /// The reason in a sentence why it cannot be had without a socket.
    case impossible(String)
  }

  /// The way in which it ends.
  package var ending: Ending
  /// The time from the request to the end; zero where there is none.
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
    let outcome = deck.decide(request, lane: lane, at: moment)
    defer { deck.finished(outcome) }
    let delivery = deck.delivery(of: outcome, on: .inProcess)
    if let refusal = LoadingTask.refusal(of: delivery) {
      return Handed(ending: .impossible(refusal.description), end: .zero, longestSilence: .zero)
    }
    var reception = Reception(delivery, outcome.shaper, of: request, isOpening: false)
    var event = Player.Event.arrived(.requestEnd)
    var (now, last, longest) = (Duration.zero, Duration.zero, Duration.zero)
    while true {
      let step = reception.next(event, at: now)
      let heard = reception.lastActivity ?? .zero
      (longest, last) = (max(longest, heard - last), heard)
      func handed(_ ending: Handed.Ending) -> Handed {
        let isNothing = ending == .nothing
        return Handed(
          ending: ending,
          end: isNothing ? .zero : now,
          head: reception.headCame,
          longestSilence: isNothing ? longest : max(longest, now - last)
        )
      }
      switch step {
      case .answer(let head, let body): return handed(.answer(head, body))
      case .failure(let symptom): return handed(.failure(surfaced(symptom)))
      case .impossible(let reason): return handed(.impossible(reason))
      case .opened, .wait(nil): return handed(.nothing)
      case .wait(let moment?): (now, event) = (moment, .tick)
      }
    }
  }
}
