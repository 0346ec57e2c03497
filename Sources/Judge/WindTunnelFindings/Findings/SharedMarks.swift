@_spi(WindTunnel) internal import WindTunnelCore

/// The values in requests that more than one call of a run has. They are computed on first use,
/// because few runs have a call that needs them.
final class SharedMarks: Sendable {
  private let calls: [Observation]
  private let found = Locked<Found?>(nil)
  private let texts = Locked<Set<[String]>?>(nil)

  init(of calls: [Observation]) { self.calls = calls }

  /// The values, and the requests with times or random values that a call sends once.
  private struct Found: Sendable {
    /// The values that more than one call has, or more than one attempt.
    var (shared, repeated): (Set<Int>, Set<Int>) = ([], [])
    /// The endpoint and the request of calls that sent no second one after a response.
    var single: Set<[String]> = []
  }

  /// Returns whether more than one call has the value with this number.
  func contains(_ mark: Int) -> Bool { read { $0.shared.contains(mark) } }

  /// Returns whether more than one attempt has one of the values with these numbers.
  func areRepeated(_ marks: Set<Int>) -> Bool { read { !$0.repeated.isDisjoint(with: marks) } }

  /// Returns whether a call of an endpoint got a response to a request and did not send it again.
  func isSingle(_ request: String, of endpoint: String) -> Bool {
    read { $0.single.contains([endpoint, request]) }
  }

  private func read(_ read: (Found) -> Bool) -> Bool {
    found.withLock { found in
      let all = found ?? Self.find(in: calls)
      found = all
      return read(all)
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

  private static func find(in calls: [Observation]) -> Found {
    var (bearers, found): ([Int: Int], Found) = ([:], Found())
    var several: Set<[String]> = []
    for call in calls {
      for mark in call.attempts.lazy.compactMap(\.sent).flatMap(\.marks) {
        if let bearer = bearers.updateValue(call.call, forKey: mark) {
          found.repeated.insert(mark)
          if bearer != call.call { found.shared.insert(mark) }
        }
      }
      // A call that ended early may have had more to send.
      guard call.ending == .succeeded, call.cancellation == nil,
        call.attempts.allSatisfy(\.isAnswered)
      else { continue }
      let all = call.attempts.filter { $0.sent?.deed != nil }
      if all.count == 1 { found.single.insert([call.endpoint, all[0].key]) }
      if all.count > 1 { several.formUnion(all.map { [call.endpoint, $0.key] }) }
    }
    found.single.subtract(several)
    return found
  }
}
