internal import WindTunnel
internal import WindTunnelSymptoms
package import WindTunnelURLSession

/// A cassette in good weather, for a client to be used before the first call of a drill, as an app
/// has been before its user steps into a lift. Nothing of it is seen, counted or judged.
package struct Rehearsal: Sendable {
  /// The requests of the calls, each once.
  package let requests: [Request]
  /// The way to their answers.
  package let exchange: DirectExchange

  init(_ workload: Workload, of cassette: Cassette, errors: Symptom.Platform) {
    requests = workload.all
    let options = PlaybackOptions(matcher: workload.matcher, then: .repeat)
    exchange = DirectExchange(Deck(cassette, options: options), lane: .deck, errors: errors)
  }
}
