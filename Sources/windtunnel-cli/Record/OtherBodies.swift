internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

/// Requests that a recording answered whose own request had another body.
///
/// A GraphQL server has one address for everything: unless bodies are compared, what was recorded for
/// one query answers all, and nothing of the others is recorded.
final class OtherBodies: Sendable {
  private let counts = Locked<[String: Int]>([:])
  private let isTold: Bool
  /// How many are told of one by one.
  private static let linesMax = 10

  init(_ matcher: Matcher) { isTold = !matcher.comparesBodies }

  /// Hears what answers; a deck's `follow`.
  func follow(_ outcome: Outcome, _ milestone: Deck.Milestone) {
    guard isTold, milestone == .end, case .recording(let interaction, _) = outcome.source,
      interaction.hasOtherBody(than: outcome.request)
    else { return }
    // As it stands on the tape, so without secrets.
    let name = "\(interaction.request.method) \(interaction.request.url)"
    counts.withLock { $0[name, default: 0] += 1 }
  }

  /// Says which those were, and how to tell them apart.
  func complain() {
    let counts = counts.withLock { $0 }
    guard !counts.isEmpty else { return }
    for (name, count) in counts.sorted(by: { $0.key < $1.key }).prefix(Self.linesMax) {
      let times = count == 1 ? "once" : "\(count) times"
      Terminal.complain("\(name): played \(times) for another body than the recorded one\n")
    }
    let rest = counts.count - Self.linesMax
    if rest > 0 { Terminal.complain("and \(rest) more\n") }
    Terminal.complain(
      "To tell bodies apart: \(MatchFlag.name) FILE, with {\"match\":1,\"body\":\"byType\"} in it.\n"
    )
  }
}
