internal import WindTunnelSymptoms
package import WindTunnelURLSession

/// The use of a client without faults before a drill's first call, as a user opens an app before
/// stepping into a lift. It is not observed, counted or judged.
package struct WarmUp: Sendable {
  let calls: [Int]
  let workload: Workload
  let cassette: Cassette
  /// The state of the app at its start, which decides what it has kept.
  package let startupState: StartupState

  /// The start of an app on the cassette, or `nil` if it has none.
  package var startup: RecordedStartup? { cassette.startup }

  /// The requests of the calls whose first recording has status 200, each once, in the order of the
  /// calls.
  package var requests: [Request] {
    let matcher = workload.matcher
    var first: [RequestKey: Int?] = [:]
    for interaction in cassette.interactions {
      let key = matcher.key(interaction.request)
      if first[key] == nil { first[key] = .some(interaction.response?.status) }
    }
    var requests: [Request] = []
    for call in calls where !first.isEmpty {
      // Each request is used only once.
      if first.removeValue(forKey: workload.key(of: call)) == 200 {
        requests.append(workload.request(of: call))
      }
    }
    return requests
  }

  /// Creates an access to the recorded responses.
  package func exchange() -> DirectExchange {
    let matcher = workload.matcher
    let options = PlaybackOptions(matcher: matcher, then: .repeat, keepsRequests: false)
    let deck = Deck(cassette, options: options)
    return DirectExchange(deck, lane: .deck, errors: .current)
  }
}
