@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelSymptoms

/// Requests that a recording answered whose own request had another body.
///
/// A GraphQL server has one address for everything: unless bodies are compared, what was recorded
/// for one query answers all, and nothing of the others is recorded.
final class OtherBodies: Sendable {
  private let counts = Locked<[String: Int]>([:])
  private let isTold: Bool
  /// The number of requests that are told of one by one.
  private static let linesMax = 10
  /// The rule that compares bodies.
  static let fix =
    "to tell bodies apart: \(MatchFlag.name) FILE, with {\"match\":1,\"body\":\"byType\"} in it."

  init(_ matcher: Matcher) { isTold = !matcher.comparesBodies }

  /// Takes note of an event of a deck's.
  func observe(_ event: ExchangeEvent) {
    guard isTold, case .ended(let outcome, _) = event,
      let name = Self.name(of: outcome, outcome.request.body)
    else { return }
    counts.withLock { $0[name, default: 0] += 1 }
  }

  /// Returns the name of the recorded request; `nil` if it has the body of the client's.
  static func name(of outcome: Outcome, _ body: Body) -> String? {
    guard let recorded = outcome.recording?.request, recorded.body != body else { return nil }
    var asked = outcome.request
    asked.body = body
    // A cassette that was written by hand may have secrets.
    let name = "\(recorded.method) \(recorded.url.withoutSecrets)"
    return outcome.recording?.hasOtherBody(than: asked) == true ? name : nil
  }

  /// Says which those were, and how to tell them apart.
  func complain() {
    let counts = counts.withLock { $0 }
    guard !counts.isEmpty else { return }
    let lines = counts.sorted { $0.key < $1.key }.map { name, count in
      let times = count == 1 ? "once" : "\(count) times"
      return "\(name): played \(times) for another body than the recorded one"
    }
    Terminal.complain(first: Self.linesMax, of: lines)
    Terminal.complain("T\(Self.fix.dropFirst())\n")
  }
}

/// The responses of origins whose heads are invalid, each reported when it arrives.
final class InvalidResponses: Sendable {
  private let counts = Locked((reported: 0, refused: 0))
  private let rules: RedactionRules
  /// The maximum number of reports.
  private static let linesMax = 10

  init(_ rules: RedactionRules) { self.rules = rules }

  /// Handles an event of the deck.
  func observe(_ event: ExchangeEvent) {
    guard case .ended(let outcome, let end?) = event, let problem = end.problem else { return }
    let isRefused = if case .failed = end.ending { true } else { false }
    let number = counts.withLock { counts in
      counts.reported += 1
      if isRefused { counts.refused += 1 }
      return counts.reported
    }
    guard number <= Self.linesMax else { return }
    let request = Request(outcome.request.method, outcome.request.url)
    let failure = Failure(.malformedResponse, text: problem)
    var redaction = Redaction(continuing: [], rules: rules)
    guard let safe = redaction.redact([Interaction(request, .failure(failure))]).first else {
      return
    }
    let fix =
      isRefused
      ? "Fix the server, or pass the response on unrecorded: \(Flag.passMalformed.name)"
      : "It is passed on unchanged and is not recorded."
    Terminal.complain(
      "invalid response: \(safe.request.method) \(safe.request.url): \(safe.failure?.text ?? "") "
        + fix
    )
  }

  /// Reports the number of refused responses; they make a successful end a finding.
  func code(after code: ExitCode) -> ExitCode {
    let count = counts.withLock { $0.refused }
    guard count > 0 else { return code }
    let responses = count == 1 ? "1 invalid response was" : "\(count) invalid responses were"
    Terminal.complain("\(responses) refused; the client received 502.")
    return code == .done ? .found : code
  }
}

/// Answers that were recorded as broken off: the client met it, and whoever records should know
/// why.
enum CutAnswers {
  private static let linesMax = 10

  /// Says which they are, of those that were not on the cassette before, without secrets.
  static func complain(_ recorded: Cassette, besides cassette: Cassette) {
    let known = Set(cassette.interactions)
    let lines = recorded.interactions.filter { !known.contains($0) }.compactMap { interaction in
      guard case .cut(_, let failure) = interaction.result else { return nil as String? }
      let reason = failure.text ?? failure.symptom.rawValue
      return
        "\(interaction.request.method) \(interaction.request.url): recorded as broken off: \(reason)"
    }
    Terminal.complain(first: linesMax, of: lines)
  }
}

extension RecordingJournal {
  /// The number of groups of alike recordings that are reported.
  private static let alikeMax = 10

  /// Writes the cassette of a recording that is over, and says what stands on it and what could
  /// not.
  ///
  /// - Returns: Whether everything stands on it.
  func endTelling(with recorded: Cassette, orders: [Int], of cassette: URL) throws -> Bool {
    do {
      let (count, leftOut) = try end(with: recorded, orders: orders)
      for line in leftOut { Terminal.complain("left out: \(line)\n") }
      Terminal.complain("\(cassette.relativePath): \(count.counted("interaction"))\n")
      // What was left out has no number in the file.
      for line in (leftOut.isEmpty ? CassetteReview(recorded).alikeLines : []).prefix(Self.alikeMax)
      {
        Terminal.complain("\(cassette.relativePath): \(line)\n")
      }
      return leftOut.isEmpty
    } catch {
      Terminal.complain(
        "What was journalled stays in \(file.lastPathComponent): the next recording onto "
          + "\(cassette.relativePath) takes it up.\n"
      )
      throw error
    }
  }
}

/// Says at once what is not journalled, which a kill would take with it.
final class JournalLosses: Sendable {
  private let count = Locked(0)
  /// The number of losses that are told of one by one.
  private static let linesMax = 10

  /// Hears of one; a journal's `losing`.
  func tell(_ line: String) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if number <= Self.linesMax { Terminal.complain("not journalled: \(line)\n") }
  }

  /// Says how many more there were.
  func complain() {
    let rest = count.withLock { $0 } - Self.linesMax
    if rest > 0 { Terminal.complain("not journalled: \(rest) more\n") }
  }
}

extension Deck {
  /// Says what this process could not ask for; where nothing else went wrong, that is what it ends
  /// with.
  func tellUnasked(after code: ExitCode) -> ExitCode {
    guard let (count, reason) = unasked else { return code }
    let requests = count == 1 ? "1 request was" : "\(count) requests were"
    Terminal.complain("\(requests) answered with 503 and not passed on: \(reason)\n")
    return code == .done ? .software : code
  }
}
