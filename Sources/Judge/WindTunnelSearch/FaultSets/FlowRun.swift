/// A flow as it was flown in one fault set.
struct FlowRun: Sendable, Hashable {
  /// The ways in which a flow ends.
  enum Ending: Sendable, Hashable {
    /// It returned; the number stands for what it returned.
    case returned(Int)
    /// It failed, in words.
    case failed(String)
    /// It did not end.
    case hung
    /// It crashed, by a signal of that name.
    case crashed(String)

    /// Tells whether it came to no end of its own.
    var isFallen: Bool {
      switch self {
      case .returned, .failed: false
      case .hung, .crashed: true
      }
    }
  }

  /// A request as it arrived.
  struct Place: Sendable, Hashable {
    var key: String
    var ordinal: Int
  }

  var ending: Ending
  var observation: Observation
  /// The requests, in the order of their arrival; one place for each attempt.
  var places: [Place]
  var steps: [FlowSteps.Seen]
  /// The time at which a user came back, or a process started anew; `nil`: neither happened.
  var anew: Duration?
  /// The failures of the user's own expectations.
  var issues: [String]
  /// The invariants that its surroundings saw broken.
  var broken: [Violation]

  /// The requests' attempts, without connections alone.
  var attempts: [Observation.Attempt]

  /// The start of the flow.
  var start: Duration { observation.start ?? .zero }

  /// The number of requests of each key, in a fixed order.
  var counts: [String: Int] { places.reduce(into: [:]) { $0[$1.key, default: 0] += 1 } }

  /// The sentence for which a flow that was flown in calm is not flown in fault sets; `nil`: it is.
  var refusal: String? {
    switch ending {
    case .failed(let reason):
      return "The flow fails when nothing goes wrong: \(reason). A search begins with a flow that "
        + "succeeds in calm; look whether the cassette answers all that it asks for."
    case .hung: return "The flow does not end when nothing goes wrong, so nothing is searched."
    case .crashed(let signal):
      return "The flow crashes (\(signal)) when nothing goes wrong, so nothing is searched."
    case .returned:
      return observation.notOnCassette.map {
        "The flow asks for \($0), which is not on the cassette."
      }
    }
  }

  /// The requests in words, with their times.
  var requestLines: [String] {
    zip(places, attempts).map { place, attempt in
      let came = attempt.error ?? attempt.status.map { "\($0)" } ?? "nothing"
      return "\(Words.time((attempt.start ?? .zero) - start))  \(place.key) → \(came)"
    }
  }

  /// The behaviour of the client with its times, but for what it returned: answers that it took
  /// alike are the same.
  var course: Int {
    hashed { hasher in
      for (_, attempt) in zip(places, attempts) { hasher.combine(attempt.start.map { $0 - start }) }
      hasher.combine(observation.latency)
      if case .returned = ending {
        hasher.combine(observation.showed)
      } else {
        hasher.combine(ending)
      }
    }
  }

  /// The behaviour of the client, without times: the requests in their order, what came of each,
  /// and the end.
  var behaviour: Int {
    hashed { $0.combine(ending) }
  }

  private func hashed(_ rest: (inout Hasher) -> Void) -> Int {
    var hasher = Hasher()
    for (place, attempt) in zip(places, attempts) {
      hasher.combine(place)
      hasher.combine(attempt.status)
      hasher.combine(attempt.error)
    }
    rest(&hasher)
    return hasher.finalize()
  }
}

extension Observation.Attempt {
  /// The place that its decision is about.
  var place: FlowRun.Place? {
    decision.ordinal.map { FlowRun.Place(key: decision.key, ordinal: $0) }
  }

  /// Tells whether it met a fault.
  var isHit: Bool { !decision.metNothing }
}
