internal import Dispatch
internal import WindTunnel
internal import WindTunnelCommandLine

/// Tells of each request that nothing answers but 501, in one line on standard error.
///
/// On a queue of its own: whoever reads standard error slowly, or never, holds up no answer. What it
/// has not read by then is counted.
final class Unanswered: Sendable {
  private struct Backlog: Sendable {
    var lines = 0
    var dropped = 0
  }

  /// The number of lines that may wait to be written.
  private static let linesMax = 1000
  /// The longest time that ``end()`` waits for them.
  private static let patience = DispatchTimeInterval.seconds(1)

  private let queue = DispatchQueue(label: "windtunnel.unanswered")
  private let backlog = Locked(Backlog())

  /// Hears what answers; a deck's `follow`.
  func follow(_ outcome: Outcome, _ milestone: Deck.Milestone) {
    guard case .requestEnd = milestone, case .unmatched(let mismatch) = outcome.source,
      !outcome.decision.faults.contains(where: \.replacesOrCuts)
    else { return }
    let hasRoom = backlog.withLock { backlog in
      guard backlog.dropped == 0, backlog.lines < Self.linesMax else {
        backlog.dropped += 1
        return false
      }
      backlog.lines += 1
      return true
    }
    guard hasRoom else { return }
    queue.async { [self] in
      Terminal.complain(Self.line(outcome.request, mismatch))
      let dropped = backlog.withLock { backlog in
        backlog.lines -= 1
        guard backlog.lines == 0 else { return 0 }
        defer { backlog.dropped = 0 }
        return backlog.dropped
      }
      if dropped > 0 { Terminal.complain("501: and \(dropped) more\n") }
    }
  }

  /// A request that was not answered, in a line for a log: without values of the request's that may be
  /// secrets.
  private static func line(_ request: Request, _ mismatch: Mismatch) -> String {
    let shown = request.url.withoutSecrets
    // Nothing of a body or of a header field is for a log.
    let differsInAddress = mismatch.candidates.first?.differences.first.map { difference in
      ["method", "path", "query"].contains { difference.name.hasPrefix($0) }
    }
    if mismatch.played > 0 || shown == request.url && differsInAddress != false {
      return "501: \(mismatch.line)".replacing("\(request.url)", with: "\(shown)")
    }
    let nearest = mismatch.nearestWords
    return "501: \(request.method) \(shown) is not on the cassette; \(nearest)"
  }

  /// Waits until everything is told, but not for ever.
  func end() {
    let group = DispatchGroup()
    queue.async(group: group) {}
    // What nobody reads is not worth more.
    _ = group.wait(timeout: .now() + Self.patience)
  }
}
