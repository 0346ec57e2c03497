/// One call as the rules look at it: its attempts, and which of them ask for the same again.
struct JudgedCall: Sendable {
  /// The call that is judged.
  let observation: Observation
  /// The kind of its client.
  let client: Flight.Client
  /// The places of attempts that are followed by another for the same, with that one's.
  let repeats: [(before: Int, after: Int)]

  init(_ observation: Observation, of client: Flight.Client) {
    (self.observation, self.client) = (observation, client)
    repeats = Self.repeats(in: observation.attempts)
  }

  /// The attempts of the call, in order.
  var attempts: [Observation.Attempt] { observation.attempts }

  /// Tells whether what came of it says something about the client.
  var isJudged: Bool { observation.notOnCassette == nil }

  /// Tells whether its client says that it went well.
  var claimsSuccess: Bool { observation.ending == .succeeded && !observation.wasGivenUp }

  /// Tells whether an answer of the cassette came whole, or what a function or an origin said.
  var wasAnswered: Bool { attempts.contains(where: \.isAnswered) }

  /// Tells whether its client shows, or says that it shows, a copy from before.
  var showsCopy: Bool { observation.isStale == true || observation.bodyMatches == true }

  /// The places of the attempts that ask for the same, each after the one before it had failed; of several
  /// such rows the longest.
  var longestRow: [Int] {
    var runs: [[Int]] = []
    for pair in repeats {
      if let place = runs.firstIndex(where: { $0.last == pair.before }) {
        runs[place].append(pair.after)
      } else {
        runs.append([pair.before, pair.after])
      }
    }
    return runs.max { $0.count < $1.count } ?? (attempts.isEmpty ? [] : [0])
  }

  /// The wait between two attempts: from the answer's end to the next one's start.
  func gap(_ before: Int, _ after: Int) -> Duration? {
    guard let start = attempts[after].start,
      let end = attempts[before].end ?? attempts[before].start
    else { return nil }
    return max(.zero, start - end)
  }

  /// The attempts as evidence, a line each.
  var steps: [Finding.Step] {
    let begun = observation.start ?? attempts.first?.start
    func offset(_ moment: Duration?) -> Duration? {
      guard let moment, let begun else { return nil }
      return max(.zero, moment - begun)
    }
    let shown = attempts.prefix(Self.stepsMax).map { attempt in
      Finding.Step(at: offset(attempt.start), attempt.words)
    }
    let rest = attempts.count - shown.count
    let more = rest > 0 ? [Finding.Step(at: nil, "and \(rest) attempts more")] : []
    let end = Finding.Step(at: offset(observation.end), "the call \(observation.endingVerb)")
    return shown + more + [end]
  }

  /// So many attempts show what a client does.
  private static let stepsMax = 12

  /// Only what failed is asked for again; whoever asks twice for what came well has a reason for it.
  private static func repeats(
    in attempts: [Observation.Attempt]
  ) -> [(before: Int, after: Int)] {
    guard attempts.count > 1 else { return [] }
    var last: [Substring: Int] = [:]
    var unconnected: Int?
    var pairs: [(before: Int, after: Int)] = []
    for (place, attempt) in attempts.enumerated() {
      // A connection that failed has no request: whatever comes next tries once more.
      guard attempt.isRequest else {
        if let before = unconnected ?? last.values.max(), attempts[before].isFailed {
          pairs.append((before, place))
        }
        unconnected = place
        continue
      }
      let key = attempt.key
      if let before = unconnected ?? last[key], attempts[before].isFailed {
        pairs.append((before, place))
      }
      unconnected = nil
      last[key] = place
    }
    return pairs
  }
}

extension Observation.Attempt {
  /// Tells whether the client got all of an answer that was no fault's.
  var isAnswered: Bool {
    guard error == nil, isRequest else { return false }
    return take.hasPrefix("recording") || take == "computed" || take == "forwarded"
  }

  /// Tells whether it brought no answer, or one that says that it failed (RFC 9110 §15.5 and §15.6).
  var isFailed: Bool { error != nil || !isRequest || (status ?? 0) >= 400 }

  /// The status that a fault put in place of the answer's, or that of an answer that a fault kept.
  var injectedStatus: Int? {
    Self.metNothing(in: decision) || isAnswered ? nil : status
  }

  /// Tells whether a captive portal answered in the server's place.
  var isOfPortal: Bool { decision.contains("\"captivePortal") }

  /// The request that it makes, such as `GET /home`; empty for a connection.
  var key: Substring {
    let parts = decision.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count > 1 ? parts[1] : ""
  }

  /// The request and what came of it, in a line.
  var words: String {
    var parts: [String] = []
    if let status { parts.append("\(status)") }
    if let retryAfter { parts.append("Retry-After \(Figures.wait(retryAfter))") }
    if let bytes, error != nil, status != nil { parts.append("\(Figures.bytes(bytes))") }
    if let error { parts.append(error) }
    if parts.isEmpty { parts = faults.isEmpty ? [take] : faults }
    return "\(isRequest ? String(key) : "connecting") → \(parts.joined(separator: ", "))"
  }
}

extension Observation {
  /// The way in which the call ended, as a verb.
  var endingVerb: String {
    switch ending {
    case .succeeded: wasGivenUp ? "was given up" : "succeeded"
    case .failed(let reason): wasGivenUp ? "was given up" : "failed, \(reason)"
    case .crashed: "crashed"
    case .hung: "had not ended"
    }
  }
}

extension Figures {
  /// Writes a wait in whole seconds where it is one.
  static func wait(_ time: Duration) -> String {
    let milliseconds = time.inMilliseconds
    return milliseconds >= 1000 && milliseconds.truncatingRemainder(dividingBy: 1000) == 0
      ? "\(Int(milliseconds / 1000)) s" : Self.time(time)
  }
}
