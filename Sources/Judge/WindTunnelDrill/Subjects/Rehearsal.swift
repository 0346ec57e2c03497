package import WindTunnel
internal import WindTunnelSymptoms
package import WindTunnelURLSession

/// The good weather before a drill's first call, for a client to be used in, as an app has been
/// before its user steps into a lift. Nothing of it is seen, counted or judged.
package struct Rehearsal: Sendable {
  let calls: [Int]
  let workload: Workload
  let cassette: Cassette
  /// The state in which the start of an app finds what it has kept.
  package let startupState: StartupState

  /// The start of an app that the cassette has; `nil` where it has none.
  package var startup: RecordedStartup? { cassette.startup }

  /// The requests of the calls that were first answered well, each once, in their order.
  package var requests: [Request] {
    let matcher = workload.matcher
    var first: [RequestKey: Int?] = [:]
    for interaction in cassette.interactions {
      let key = matcher.key(interaction.request)
      if first[key] == nil { first[key] = .some(interaction.response?.status) }
    }
    var requests: [Request] = []
    for call in calls where !first.isEmpty {
      // Of each only once.
      if first.removeValue(forKey: workload.key(of: call)) == 200 {
        requests.append(workload.request(of: call))
      }
    }
    return requests
  }

  /// Makes a way to the recorded answers.
  package func exchange() -> DirectExchange {
    let matcher = workload.matcher
    let options = PlaybackOptions(matcher: matcher, then: .repeat, keepsRequests: false)
    let deck = Deck(cassette, options: options)
    return DirectExchange(deck, lane: .deck, errors: .current)
  }
}
