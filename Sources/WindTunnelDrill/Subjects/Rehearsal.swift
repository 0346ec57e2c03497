internal import WindTunnel
internal import WindTunnelSymptoms
internal import WindTunnelURLSession

/// The good weather before a drill's first call, for a client to be used in, as an app has been
/// before its user steps into a lift. Nothing of it is seen, counted or judged.
package struct Rehearsal: Sendable {
  private let calls: [Request]
  private let matcher: Matcher
  private let cassette: Cassette

  init(of calls: [Request], _ matcher: Matcher, _ cassette: Cassette) {
    (self.calls, self.matcher, self.cassette) = (calls, matcher, cassette)
  }

  /// The requests of the calls that were first answered well, each once, in their order.
  var requests: [Request] {
    var first: [RequestKey: Int?] = [:]
    for interaction in cassette.interactions {
      let key = matcher.key(interaction.request)
      if first[key] == nil { first[key] = .some(interaction.response?.status) }
    }
    return calls.filter { call in
      // Of each only once.
      first.removeValue(forKey: matcher.key(call)) == 200
    }
  }

  /// Makes a way to the recorded answers.
  func exchange() -> DirectExchange {
    let deck = Deck(cassette, options: PlaybackOptions(matcher: matcher, then: .repeat))
    return DirectExchange(deck, lane: .deck, errors: .current)
  }
}
