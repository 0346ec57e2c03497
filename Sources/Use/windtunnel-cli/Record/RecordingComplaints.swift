@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelSymptoms

/// Requests whose recording is for another body.
///
/// A GraphQL server has one address for everything. Unless bodies are compared, the recording of
/// one query is played for all queries, and no other query is recorded.
final class OtherBodies: Sendable {
  private let counts = Locked<[String: Int]>([:])
  private let isTold: Bool
  /// The maximum number of requests that are reported one by one.
  private static let linesMax = 10
  /// The rule that compares bodies.
  static let fix =
    "to compare bodies: \(MatchFlag.name) FILE with {\"match\":1,\"body\":\"byType\"}."

  init(_ matcher: Matcher) { isTold = !matcher.comparesBodies }

  /// Handles an event of a deck.
  func observe(_ event: ExchangeEvent) {
    guard isTold, case .ended(let outcome, _) = event,
      let name = Self.name(of: outcome, outcome.request.body)
    else { return }
    counts.withLock { $0[name, default: 0] += 1 }
  }

  /// Returns the name of the recorded request; `nil` if it has the same body as the client's
  /// request.
  static func name(of outcome: Outcome, _ body: Body) -> String? {
    guard let recorded = outcome.recording?.request, recorded.body != body else { return nil }
    var asked = outcome.request
    asked.body = body
    // A cassette that was written by hand may contain secrets.
    let name = "\(recorded.method) \(recorded.url.withoutSecrets)"
    return outcome.recording?.hasOtherBody(than: asked) == true ? name : nil
  }

  /// Reports these requests, and how to distinguish them.
  func complain() {
    let counts = counts.withLock { $0 }
    guard !counts.isEmpty else { return }
    let lines = counts.sorted { $0.key < $1.key }.map { name, count in
      let times = count == 1 ? "once" : "\(count) times"
      return "\(name): played \(times) for a request whose body differs from the recorded one"
    }
    Terminal.complain(first: Self.linesMax, of: lines)
    Terminal.complain("T\(Self.fix.dropFirst())\n")
  }
}

/// The responses of origins whose heads or chunks are invalid, each reported when it arrives.
final class InvalidResponses: Sendable {
  private let counts = Locked((reported: 0, refused: 0, begun: 0))
  private let rules: RedactionRules
  /// The maximum number of reports.
  private static let linesMax = 10

  init(_ rules: RedactionRules) { self.rules = rules }

  /// Handles an event of the deck.
  func observe(_ event: ExchangeEvent) {
    guard case .ended(let outcome, let end?) = event, let problem = end.problem else { return }
    let isRefused = if case .failed = end.ending { true } else { false }
    // Only the harness itself responds with this status and a problem, in place of an invalid head.
    let hasBegun = end.status != 502
    let number = counts.withLock { counts in
      counts.reported += 1
      if isRefused { counts.refused += 1 }
      if isRefused, hasBegun { counts.begun += 1 }
      return counts.reported
    }
    guard number <= Self.linesMax else { return }
    let request = Request(outcome.request.method, outcome.request.url)
    let failure = Failure(.malformedResponse, text: problem)
    var redaction = Redaction(continuing: [], rules: rules)
    guard let safe = redaction.redact([Interaction(request, .failure(failure))]).first else {
      return
    }
    let orElse =
      hasBegun ? "." : ", or pass \(Flag.passMalformed.name) to pass the response on unrecorded."
    Terminal.complain(
      "invalid response: \(safe.request.method) \(safe.request.url): \(safe.failure?.text ?? "")"
        + (isRefused ? " Fix the server\(orElse)" : "")
    )
  }

  /// Whether a response was refused.
  var areRefused: Bool { counts.withLock { $0.refused > 0 } }

  /// Reports the number of refused responses, which turn a successful end into a finding.
  func code(after code: ExitCode) -> ExitCode {
    let (_, count, begun) = counts.withLock { $0 }
    guard count > 0 else { return code }
    let responses = count == 1 ? "1 invalid response was" : "\(count) invalid responses were"
    let received = begun == 0 ? "502" : begun == count ? "a part" : "502 or a part"
    Terminal.complain("\(responses) refused; the client received \(received).")
    return code == .done ? .found : code
  }
}

/// Reports responses that were recorded as truncated or failed, with the reason.
enum CutAnswers {
  private static let linesMax = 10

  /// Reports the responses that were not on the cassette before, without secrets. A response that
  /// is missing because it is invalid was reported when it arrived.
  static func complain(_ recorded: Cassette, besides cassette: Cassette) {
    let known = Set(cassette.interactions)
    let lines = recorded.interactions.filter { !known.contains($0) }.compactMap { interaction in
      let isCut = interaction.response != nil
      guard let failure = interaction.failure, isCut || failure.symptom != .malformedResponse
      else { return nil as String? }
      let (request, kind) = (interaction.request, isCut ? "truncated" : "failed")
      let reason = failure.text ?? failure.symptom.rawValue
      return "\(request.method) \(request.url): recorded as \(kind): \(reason)"
    }
    Terminal.complain(first: linesMax, of: lines)
  }
}

extension RecordingJournal {
  /// The number of groups of alike recordings that are reported.
  private static let alikeMax = 10

  /// Writes the cassette of a finished recording, and reports its interactions and the omitted
  /// ones.
  ///
  /// - Returns: Whether everything could be written.
  func endTelling(with recorded: Cassette, orders: [Int], of cassette: URL) throws -> Bool {
    let isKept = isInPlace
    do {
      let (count, leftOut) = try end(with: recorded, orders: orders)
      for line in leftOut { Terminal.complain("skipped: \(line)\n") }
      Terminal.complain("\(cassette.relativePath): \(count.counted("interaction"))\n")
      // Omitted interactions have no number in the file.
      let lines = leftOut.isEmpty ? CassetteReview(recorded).alikeLines : []
      for line in lines.prefix(Self.alikeMax) {
        Terminal.complain("\(cassette.relativePath): \(line)\n")
      }
      if lines.count > Self.alikeMax {
        let rest = "and \(lines.count - Self.alikeMax) more; cassette lint lists all"
        Terminal.complain("\(cassette.relativePath): \(rest)\n")
      }
      return leftOut.isEmpty
    } catch {
      let sentence =
        isKept
        ? "\(file.lastPathComponent) keeps the recorded interactions; the next recording to "
          + "\(cassette.relativePath) continues with them."
        : Self.rescue(recorded, new: orders.count, from: cassette)
      Terminal.complain("\(sentence)\n")
      throw error
    }
  }

  /// Writes a cassette whose folder was removed to the nearest folder above that exists.
  ///
  /// - Returns: A sentence about the new file, or about the loss.
  private static func rescue(_ recorded: Cassette, new count: Int, from cassette: URL) -> String {
    let gone = "\(cassette.relativePath) and its journal were removed or moved"
    let interactions = count.counted("recorded interaction")
    var folder = cassette.absoluteURL.deletingLastPathComponent()
    while !FileManager.default.fileExists(atPath: folder.path), folder.path != "/" {
      folder.deleteLastPathComponent()
    }
    let name = cassette.deletingPathExtension().lastPathComponent
    let file = folder.appending(path: "\(name).rescued.json")
    // The error of the cassette itself follows the sentence.
    if !FileManager.default.fileExists(atPath: file.path), (try? recorded.write(to: file)) != nil {
      return "\(gone); \(file.path) has the \(interactions)."
    }
    let verb = count == 1 ? "is" : "are"
    return "\(gone); \(interactions) \(verb) lost: \(file.path) exists or cannot be written."
  }
}

/// Reports immediately interactions that are not in the journal and that a kill would lose.
final class JournalLosses: Sendable {
  private let count = Locked(0)
  /// The maximum number of losses that are reported one by one.
  private static let linesMax = 10

  /// Handles a loss; it is a journal's `losing` closure.
  func tell(_ line: String) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if number <= Self.linesMax { Terminal.complain("not in journal: \(line)\n") }
  }

  /// Reports the number of further losses.
  func complain() {
    let rest = count.withLock { $0 } - Self.linesMax
    if rest > 0 { Terminal.complain("not in journal: \(rest) more\n") }
  }
}

extension Deck {
  /// Reports the requests that this process could not pass on.
  ///
  /// If nothing else failed, they determine the exit code.
  func tellUnasked(after code: ExitCode) -> ExitCode {
    guard let (count, reason) = unasked else { return code }
    let requests = count == 1 ? "1 request was" : "\(count) requests were"
    Terminal.complain("\(requests) not passed on; the client received 503: \(reason)\n")
    return code == .done ? .software : code
  }
}
