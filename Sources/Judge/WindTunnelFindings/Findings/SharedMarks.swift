@_spi(WindTunnel) internal import WindTunnelCore

/// The values in requests that more than one call of a run has. They are computed on first use,
/// because few runs have a call that needs them.
final class SharedMarks: Sendable {
  private let calls: [Observation]
  private let found = Locked<Set<Int>?>(nil)
  private let texts = Locked<Set<[String]>?>(nil)

  init(of calls: [Observation]) { self.calls = calls }

  /// Returns whether more than one call has the value with this number.
  func contains(_ mark: Int) -> Bool {
    found.withLock { found in
      let shared = found ?? Self.find(in: calls)
      found = shared
      return shared.contains(mark)
    }
  }

  /// Returns whether an answered call at the same endpoint has the same text. Every caller must
  /// pass the same function.
  func isAnswered(_ call: Observation, _ text: (Observation) -> String?) -> Bool {
    texts.withLock { texts in
      var all = texts ?? []
      if texts == nil {
        for call in calls where call.attempts.contains(where: \.isAnswered) {
          all.insert([call.endpoint, text(call) ?? ""])
        }
      }
      texts = all
      return all.contains([call.endpoint, text(call) ?? ""])
    }
  }

  private static func find(in calls: [Observation]) -> Set<Int> {
    var (bearers, shared): ([Int: Int], Set<Int>) = ([:], [])
    for call in calls {
      for mark in call.attempts.lazy.compactMap(\.sent).flatMap(\.marks) {
        if bearers[mark, default: call.call] != call.call { shared.insert(mark) }
        bearers[mark] = call.call
      }
    }
    return shared
  }
}
