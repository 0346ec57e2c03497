import Foundation

@testable import WindTunnel

/// What a deck delivers to one request, and the faults that it could not do, in words.
struct Played: Hashable {
  var delivery: Delivery
  var misfits: [String] = []

  /// The steps after the request.
  var steps: [Delivery.Step] { Array(delivery.steps.dropFirst()) }

  var head: ResponseHead? {
    steps.lazy.compactMap { if case .head(let head) = $0 { head } else { nil } }.first
  }

  /// The bytes that are sent, as text.
  var sent: String {
    let bytes = steps.flatMap { step -> Data in
      if case .bytes(.data(let data)) = step { data } else { Data() }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Deck {
  func play(_ request: Request, at now: Date? = nil, on stage: Stage = .onTheWire) -> Played {
    let delivery = delivery(of: decide(request, at: now), on: stage)
    return Played(delivery: delivery, misfits: journal.all.last?.misfits ?? [])
  }
}

/// Plays the one recording of a cassette, with faults.
func play(
  _ faults: [Fault],
  _ result: RecordedResult,
  method: String = "GET",
  on stage: Stage = .onTheWire
) -> Played {
  let request = Request(method, "/")
  let scenario: Scenario = [.on("* /**", .always, faults)]
  return Deck(Cassette([Interaction(request, result)]), scenario: scenario).play(request, on: stage)
}

extension Delivery {
  /// Returns steps after a whole request.
  static func steps(_ steps: Step..., then: Afterwards = .keep) -> Delivery {
    Delivery([.await(.requestEnd)] + steps, afterwards: then)
  }
}
