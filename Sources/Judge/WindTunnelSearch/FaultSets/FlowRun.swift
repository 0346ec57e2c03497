/// The run of a flow with one fault set.
struct FlowRun: Sendable, Hashable {
  /// The ways in which a flow ends.
  enum FlowEnd: Sendable, Hashable {
    /// The flow returned. Equal numbers mean equal results.
    case returned(Int)
    /// The flow failed. The value describes the error.
    case failed(String)
    /// The flow did not end.
    case hung
    /// The flow crashed by the signal with this name.
    case crashed(String)

    /// Whether the flow did not end by itself.
    var isFallen: Bool {
      switch self {
      case .returned, .failed: false
      case .hung, .crashed: true
      }
    }
  }

  /// A request as it arrived.
  struct RequestPosition: Sendable, Hashable {
    var key: String
    var ordinal: Int
  }

  var ending: FlowEnd
  var observation: Observation
  /// The requests, in the order of their arrival, one for each attempt.
  var places: [RequestPosition]
  var steps: [FlowSteps.Step]
  /// The time at which the user returned, or at which a process started again. `nil` if neither
  /// happened.
  var anew: Duration?
  /// The failures of the flow's own expectations.
  var issues: [String]
  /// The violations that its surroundings detected.
  var broken: [Violation]

  /// The attempts that are requests, without failed connections.
  var attempts: [Observation.Attempt]

  /// The start of the flow.
  var start: Duration { observation.start ?? .zero }

  /// The number of requests with each key.
  var counts: [String: Int] { places.reduce(into: [:]) { $0[$1.key, default: 0] += 1 } }

  /// The reason why a flow is not searched after its run without faults, in a sentence; `nil` if it
  /// is searched.
  var refusal: String? {
    switch ending {
    case .failed(let reason):
      return "The flow fails without faults: \(reason). A search requires a flow that succeeds in "
        + "calm; check that the cassette has all its requests."
    case .hung: return "The flow does not end without faults, so nothing is searched."
    case .crashed(let signal):
      return "The flow crashes (\(signal)) without faults, so nothing is searched."
    case .returned:
      return observation.notOnCassette.map {
        "The flow requests \($0), which is not on the cassette."
      }
    }
  }

  /// The requests as text, with their times.
  var requestLines: [String] {
    zip(places, attempts).map { place, attempt in
      let came = attempt.error ?? attempt.status.map { "\($0)" } ?? "nothing"
      return "\(Words.time((attempt.start ?? .zero) - start))  \(place.key) → \(came)"
    }
  }

  /// The behaviour of the client with its times, but without its result. Runs in which the client
  /// handled two responses in the same way are equal.
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

  /// The behaviour of the client without times: the requests in their order, the result of each,
  /// and the ending.
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
  /// The request that its decision is about.
  var place: FlowRun.RequestPosition? {
    decision.ordinal.map { FlowRun.RequestPosition(key: decision.key, ordinal: $0) }
  }

  /// Whether the attempt met a fault.
  var isHit: Bool { !decision.metNothing }
}
