/// One call as the rules read it: its attempts, and the traits that can be judged.
struct JudgedCall: Sendable {
  /// All calls of its run. Storing an index in this array is cheaper than copying a call.
  private let calls: [Observation]
  private let place: Int
  let sharedMarks: SharedMarks
  /// The kind of its client.
  let client: ClientRun.Client
  /// The traits that rules require.
  let traits: Traits

  private init(_ flight: ClientRun, at place: Int, _ traits: Traits, _ sharedMarks: SharedMarks) {
    (calls, self.place, client, self.traits) = (flight.calls, place, flight.client, traits)
    self.sharedMarks = sharedMarks
  }

  /// Reads all calls of a run once. Returns the calls that can be judged by themselves, and the
  /// traits of all calls together. The keys belong to evidence that the condition of some rule
  /// needs.
  static func all(
    in flight: ClientRun,
    needing keys: Set<String>
  ) -> (calls: [JudgedCall], together: FlightTraits) {
    let sharedMarks = SharedMarks(of: flight.calls)
    return flight.calls.withUnsafeBufferPointer { calls in
      var (all, together): ([JudgedCall], FlightTraits) = ([], [])
      for place in calls.indices {
        var traits = calls[place].attempts.withUnsafeBufferPointer { attempts in
          together.insertAll(seenIn: attempts)
          return Traits(seenIn: attempts)
        }
        var isPlain = calls[place].facts.isEmpty && calls[place].startAttempts.isEmpty
        if case .succeeded = calls[place].ending {} else { isPlain = false }
        if !isPlain {
          let call = calls[place]
          together.insertAll(seenIn: call)
          traits.insertAll(seenIn: call, keys)
        }
        guard !traits.isEmpty else { continue }
        if flight.isSlowWithoutFaults { traits.insert(.starved) }
        all.append(JudgedCall(flight, at: place, traits, sharedMarks))
      }
      return (all, together)
    }
  }

  /// Returns one call of a run, even if it has no traits to judge.
  static func one(at place: Int, in flight: ClientRun) -> JudgedCall {
    let call = flight.calls[place]
    var traits = call.attempts.withUnsafeBufferPointer { Traits(seenIn: $0) }
    traits.insertAll(seenIn: call)
    return JudgedCall(flight, at: place, traits, SharedMarks(of: flight.calls))
  }

  /// The traits of a call that rules require. Most calls have none, and most rules require several.
  struct Traits: OptionSet, Sendable {
    let rawValue: UInt32

    /// An attempt repeats the request of a failed attempt.
    static let repeats = Self(rawValue: 1)
    /// The call has at least four attempts.
    static let many = Self(rawValue: 2)
    /// A response requests a wait, and another attempt follows.
    static let asksToWait = Self(rawValue: 4)
    /// No attempt got a response.
    static let unanswered = Self(rawValue: 8)
    /// A request that must not be repeated failed, or is one of several.
    static let unsafe = Self(rawValue: 16)
    /// An attempt got a result that may be permanent: an error status, or a failed connection.
    static let lasting = Self(rawValue: 32)
    /// The caller cancelled the call.
    static let givenUp = Self(rawValue: 64)
    /// The first attempt failed.
    static let failedAtFirst = Self(rawValue: 128)
    /// The client's process crashed.
    static let crashed = Self(rawValue: 256)
    /// The call did not end.
    static let hung = Self(rawValue: 512)
    /// The call made a request that is not on the cassette. Its result is not the client's
    /// behaviour.
    static let strange = Self(rawValue: 1024)
    /// The call got a response without faults, but failed.
    static let failedDespiteAnswer = Self(rawValue: 2048)
    /// A request was sent to another host than the first.
    static let elsewhere = Self(rawValue: 4096)
    /// The query of a request has additional parameters of the client.
    static let addsParameters = Self(rawValue: 8192)
    /// A fault rejected a request with 401.
    static let refused = Self(rawValue: 16384)
    /// A request over TLS was redirected, or the call has a request and a failed connection.
    static let needsTLS = Self(rawValue: 32768)
    /// A connection was opened without a request.
    static let connectedOnly = Self(rawValue: 65536)
    /// The machine was so busy that the client's own timeouts may have expired.
    static let starved = Self(rawValue: 131_072)
    /// An attempt began a conversation.
    static let conversed = Self(rawValue: 262_144)
    /// The call has a fact that the condition of some rule needs.
    static let evidence = Self(rawValue: 524_288)
  }

  /// The call that is judged.
  var observation: Observation { calls[place] }

  /// The attempts of the call's own requests, in order. Attempts of an app's start are not
  /// included.
  var attempts: [Observation.Attempt] { calls[place].attempts }

  /// The indices of attempts that are repeated, each with the index of the repetition.
  var repeats: [(before: Int, after: Int)] {
    traits.contains(.repeats) ? Self.repeats(in: attempts) : []
  }

  /// Whether its result is caused by the client, so that it can be judged.
  var isJudged: Bool { !traits.contains(.strange) }

  /// Whether the client reports that the call succeeded.
  var claimsSuccess: Bool { observation.ending == .succeeded && !observation.wasGivenUp }

  /// Whether a complete response of the cassette, a function or an origin was received.
  var wasAnswered: Bool { !traits.contains(.unanswered) }

  /// Whether its client shows an earlier copy, or reports that it does.
  var showsCopy: Bool { observation.isStale == true || observation.bodyMatches == true }

  /// The indices of attempts for the same request, each after the previous one had failed. If there
  /// are several such rows, this is the longest.
  var longestRow: [Int] {
    // In most calls, every attempt has the same request.
    let attempts = attempts
    if attempts.isOneRow { return Array(attempts.indices) }
    var rows: [[Int]] = []
    var ends: [Int: Int] = [:]
    for pair in repeats {
      if let row = ends.removeValue(forKey: pair.before) {
        rows[row].append(pair.after)
        ends[pair.after] = row
      } else {
        ends[pair.after] = rows.count
        rows.append([pair.before, pair.after])
      }
    }
    return rows.max { $0.count < $1.count } ?? (attempts.isEmpty ? [] : [0])
  }

  /// The number of attempts in the longest such row.
  var rowCount: Int {
    let attempts = attempts
    return attempts.count < 2 || attempts.isOneRow ? attempts.count : longestRow.count
  }

  /// Returns the wait between two attempts: from the end of the response to the start of the next
  /// attempt.
  func gap(_ before: Int, _ after: Int) -> Duration? {
    guard let start = attempts[after].start,
      let end = attempts[before].end ?? attempts[before].start
    else { return nil }
    return max(.zero, start - end)
  }

  /// The time at which the client was running. A program must be started first.
  var begun: Duration? {
    (observation.start ?? attempts.first?.start).map { $0 + (observation.startUp ?? .zero) }
  }

  /// The attempts as evidence, one line each.
  var steps: [Finding.Step] {
    let begun = begun
    func offset(_ moment: Duration?) -> Duration? {
      guard let moment, let begun else { return nil }
      return max(.zero, moment - begun)
    }
    let all = observation.allAttempts
    let shown = all.prefix(Self.stepsMax).map { attempt in
      Finding.Step(at: offset(attempt.start), (attempt.isOfStart ? "start: " : "") + attempt.words)
    }
    let rest = all.count - shown.count
    let more = rest > 0 ? [Finding.Step(at: nil, "and \(rest) more attempts")] : []
    return shown + more + [Finding.Step(at: offset(observation.end), endWords)]
  }

  /// The end of the call as text. A proxy does not observe the end, but only that no further
  /// attempt follows.
  private var endWords: String {
    guard client == .proxied else { return "the call \(observation.endingVerb)" }
    return observation.ending == .succeeded
      ? "it received a response" : "no further attempt was seen"
  }

  /// The maximum number of attempts that are shown. More are not needed to show a client's
  /// behaviour.
  private static let stepsMax = 12

  /// Only a failed attempt is repeated, and only after its end: overlapping requests are separate
  /// parts of a call. Each failure is repeated once, the oldest attempt with a key first.
  private static func repeats(in attempts: [Observation.Attempt]) -> [(before: Int, after: Int)] {
    guard attempts.count > 1 else { return [] }
    if attempts.isOneRow { return attempts.indices.dropFirst().map { ($0 - 1, $0) } }
    var waiting: [String: [Int]] = [:]
    var taken: [String: Int] = [:]
    // The purpose of a connection without a request is unknown, unless a call has only one kind of
    // request.
    let keys = Set(attempts.lazy.filter(\.isRequest).map(\.key))
    let onlyKey = keys.count > 1 ? nil : keys.first ?? ""
    var pairs: [(before: Int, after: Int)] = []
    for (place, attempt) in attempts.enumerated() {
      guard attempt.isRequest || onlyKey != nil else { continue }
      let key = onlyKey ?? attempt.key
      let first = taken[key, default: 0]
      if let before = waiting[key].flatMap({ first < $0.count ? $0[first] : nil }),
        attempt.isAfter(attempts[before])
      {
        // This attempt uses the same connection, which the invalid certificate should have ended.
        if !attempt.isUnderBadCertificate { pairs.append((before, place)) }
        taken[key] = first + 1
      }
      if attempt.isFailed { waiting[key, default: []].append(place) }
    }
    return pairs
  }
}

extension JudgedCall.Traits {
  /// Adds the traits of a call without the traits of its attempts. One trait is whether it has a
  /// fact with one of the keys.
  fileprivate mutating func insertAll(seenIn call: Observation, _ keys: Set<String> = []) {
    switch call.ending {
    case .succeeded: break
    case .failed:
      if !contains(.unanswered), call.attempts.last?.isAnswered == true {
        insert(.failedDespiteAnswer)
      }
    case .crashed: insert(.crashed)
    case .hung: insert(.hung)
    }
    if call.cancellation != nil { insert(.givenUp) }
    if call.notOnCassette != nil { insert(.strange) }
    if call.facts.contains(where: { keys.contains($0.key) }) { insert(.evidence) }
    for attempt in call.startAttempts {
      if attempt.sent?.addsParameters == true { insert(.addsParameters) }
      if !attempt.isRequest { insert(.connectedOnly) }
    }
    if call.isStarved { insert(.starved) }
  }

  /// Reads attempts in place, because copies would take as long as the whole analysis.
  fileprivate init(seenIn attempts: UnsafeBufferPointer<Observation.Attempt>) {
    // Most calls have a single successful attempt.
    if attempts.count == 1, (attempts[0].status ?? 0) < 400, attempts[0].status != 101,
      attempts[0].isAnswered
    {
      let adds = attempts[0].hasSent && attempts[0].sent?.addsParameters == true
      self = adds ? .addsParameters : []
      return
    }
    self = .unanswered
    if attempts.count >= 4 { insert(.many) }
    for place in attempts.indices {
      let isAnswered = attempts[place].isAnswered
      if isAnswered { remove(.unanswered) }
      let sent = attempts[place].hasSent ? attempts[place].sent : nil
      if attempts[place].isRepeatable == false || sent?.key != nil,
        !isAnswered || attempts.count > 1
      {
        insert(.unsafe)
      }
      if sent?.isElsewhere == true { insert(.elsewhere) }
      if sent?.addsParameters == true { insert(.addsParameters) }
      if (300..<400).contains(attempts[place].status ?? 0), sent?.isSecure == true {
        insert(.needsTLS)
      }
      if attempts[place].status == 401, !isAnswered { insert(.refused) }
      if attempts[place].status == 101, attempts[place].conversation != nil { insert(.conversed) }
      if (attempts[place].status ?? 0) >= 400 { insert(.lasting) }
      if !attempts[place].isRequest { formUnion([.lasting, .connectedOnly, .needsTLS]) }
      let isLast = place + 1 == attempts.count
      if !isLast, attempts[place].retryAfter != nil || attempts[place].retryNotBefore != nil {
        insert(.asksToWait)
      }
      guard attempts[place].isFailed else { continue }
      if place == 0 { insert(.failedAtFirst) }
      // The next attempt may have another request. The pairs are only determined when they are
      // needed.
      if !isLast { insert(.repeats) }
    }
  }
}

extension [JudgedCall] {
  /// The call with the fewest attempts, and of several the first.
  var smallest: JudgedCall? {
    self.min {
      ($0.attempts.count, $0.observation.call) < ($1.attempts.count, $1.observation.call)
    }
  }
}

extension [Observation.Attempt] {
  /// Whether all attempts have the same request, each after the previous one had failed.
  fileprivate var isOneRow: Bool {
    withUnsafeBufferPointer { attempts in
      guard let first = attempts.first, first.isRequest else { return false }
      for place in attempts.indices.dropFirst() {
        guard attempts[place].isRequest, attempts[place - 1].isFailed,
          attempts[place].isAfter(attempts[place - 1]),
          attempts[place].key == attempts[place - 1].key
        else { return false }
      }
      return true
    }
  }
}

extension Observation {
  /// The way in which the call ended, as a verb.
  var endingVerb: String {
    switch ending {
    case .succeeded: wasGivenUp ? "was given up" : "succeeded"
    case .failed(let reason): wasGivenUp ? "was given up" : "failed, \(Figures.symptom(reason))"
    case .crashed: "crashed"
    case .hung: "had not ended"
    }
  }
}
