/// One call as the rules look at it: its attempts, and what there is about them to be judged.
struct JudgedCall: Sendable {
  /// All calls of its flight: to keep a place among them is cheaper than to copy a call.
  private let calls: [Observation]
  private let place: Int
  private let sharedMarks: SharedMarks
  /// The kind of its client.
  let client: ClientRun.Client
  /// The things about it that rules ask for.
  let traits: Traits

  private init(_ flight: ClientRun, at place: Int, _ traits: Traits, _ sharedMarks: SharedMarks) {
    (calls, self.place, client, self.traits) = (flight.calls, place, flight.client, traits)
    self.sharedMarks = sharedMarks
  }

  /// Looks once at all calls of a flight, and returns what they have together; those about which
  /// nothing can be judged by themselves are left out of the calls. The keys are those of the
  /// evidence without which the condition of a rule is not met.
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

  /// Looks at one call of a flight, whatever there is to be judged about it.
  static func one(at place: Int, in flight: ClientRun) -> JudgedCall {
    let call = flight.calls[place]
    var traits = call.attempts.withUnsafeBufferPointer { Traits(seenIn: $0) }
    traits.insertAll(seenIn: call)
    return JudgedCall(flight, at: place, traits, SharedMarks(of: flight.calls))
  }

  /// The things about a call that rules ask for: most calls have none, and most rules want several.
  struct Traits: OptionSet, Sendable {
    let rawValue: UInt32

    /// An attempt asks for what the one before it failed to get.
    static let repeats = Self(rawValue: 1)
    /// The call has at least four attempts.
    static let many = Self(rawValue: 2)
    /// An answer asks for a wait, and another attempt follows.
    static let asksToWait = Self(rawValue: 4)
    /// No attempt got an answer.
    static let unanswered = Self(rawValue: 8)
    /// A request that must not be repeated failed, or is one of several.
    static let unsafe = Self(rawValue: 16)
    /// An attempt met what may stay so: an error status, or a connection that failed.
    static let lasting = Self(rawValue: 32)
    /// The caller gave it up.
    static let givenUp = Self(rawValue: 64)
    /// The first attempt failed.
    static let failedAtFirst = Self(rawValue: 128)
    /// The client's process died.
    static let crashed = Self(rawValue: 256)
    /// The call did not end.
    static let hung = Self(rawValue: 512)
    /// The call made a request that is not on the cassette, which shows nothing about its client.
    static let strange = Self(rawValue: 1024)
    /// The call had an answer that no fault had changed, and failed.
    static let failedDespiteAnswer = Self(rawValue: 2048)
    /// A request came to another host than the first.
    static let elsewhere = Self(rawValue: 4096)
    /// A request's query has parameters of the client's own.
    static let addsParameters = Self(rawValue: 8192)
    /// A fault answered a request with 401.
    static let refused = Self(rawValue: 16384)
    /// A request that came by TLS was redirected, or a request came beside a failed connection.
    static let needsTLS = Self(rawValue: 32768)
    /// A connection came without a request.
    static let connectedOnly = Self(rawValue: 65536)
    /// The machine was so busy that the client's own time-outs may have run out.
    static let starved = Self(rawValue: 131_072)
    /// An attempt began a conversation.
    static let conversed = Self(rawValue: 262_144)
    /// It has a fact without which the condition of a rule is not met.
    static let evidence = Self(rawValue: 524_288)
  }

  /// The call that is judged.
  var observation: Observation { calls[place] }

  /// The attempts at what the call asks for, in order; those of an app's start are none.
  var attempts: [Observation.Attempt] { calls[place].attempts }

  /// The places of attempts that are followed by another for the same, with that one's.
  var repeats: [(before: Int, after: Int)] {
    traits.contains(.repeats) ? Self.repeats(in: attempts) : []
  }

  /// Tells whether what came of it says something about the client.
  var isJudged: Bool { !traits.contains(.strange) }

  /// Tells whether its client says that it went well.
  var claimsSuccess: Bool { observation.ending == .succeeded && !observation.wasGivenUp }

  /// Tells whether an answer of the cassette came whole, or what a function or an origin said.
  var wasAnswered: Bool { !traits.contains(.unanswered) }

  /// Tells whether its client shows, or says that it shows, a copy from before.
  var showsCopy: Bool { observation.isStale == true || observation.bodyMatches == true }

  /// Whether an answered call at its endpoint has the same text, which may be a copy of that.
  func isCopy(_ text: (Observation) -> String?) -> Bool {
    sharedMarks.isAnswered(observation, text)
  }

  /// The places of the attempts that ask for the same, each after the one before it had failed; of
  /// several such rows the longest.
  var longestRow: [Int] {
    // In most calls every attempt asks for the same.
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

  /// The number of attempts of the longest such row.
  var rowCount: Int {
    let attempts = attempts
    return attempts.count < 2 || attempts.isOneRow ? attempts.count : longestRow.count
  }

  /// Tells whether no other call bears what has this number.
  func isOwn(_ mark: Int) -> Bool { !sharedMarks.contains(mark) }

  /// Returns the wait between two attempts: from the answer's end to the next one's start.
  func gap(_ before: Int, _ after: Int) -> Duration? {
    guard let start = attempts[after].start,
      let end = attempts[before].end ?? attempts[before].start
    else { return nil }
    return max(.zero, start - end)
  }

  /// The time at which there was a client: a program has to be started first.
  var begun: Duration? {
    (observation.start ?? attempts.first?.start).map { $0 + (observation.startUp ?? .zero) }
  }

  /// The attempts as evidence, a line each.
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
    let more = rest > 0 ? [Finding.Step(at: nil, "and \(rest) attempts more")] : []
    return shown + more + [Finding.Step(at: offset(observation.end), endWords)]
  }

  /// The end of the call in words; a proxy sees no end, and only that nothing followed.
  private var endWords: String {
    guard client == .proxied else { return "the call \(observation.endingVerb)" }
    return observation.ending == .succeeded ? "it was answered" : "no further attempt was seen"
  }

  /// So many attempts show what a client does.
  private static let stepsMax = 12

  /// Only what failed is asked for again, and only when that was over: requests that overlap are a
  /// call's own parts. Each failure is followed once, the oldest of a key first.
  private static func repeats(in attempts: [Observation.Attempt]) -> [(before: Int, after: Int)] {
    guard attempts.count > 1 else { return [] }
    if attempts.isOneRow { return attempts.indices.dropFirst().map { ($0 - 1, $0) } }
    var waiting: [String: [Int]] = [:]
    var taken: [String: Int] = [:]
    // Nobody knows what a connection without a request was for, unless a call asks for one thing
    // alone.
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
        // It comes on the very connection whose certificate should have ended it.
        if !attempt.isUnderBadCertificate { pairs.append((before, place)) }
        taken[key] = first + 1
      }
      if attempt.isFailed { waiting[key, default: []].append(place) }
    }
    return pairs
  }
}

extension JudgedCall.Traits {
  /// Adds what a call has beside its attempts, and whether it has a fact of some keys.
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

  /// Looks at attempts in their places: copies would cost as much as all the rest.
  fileprivate init(seenIn attempts: UnsafeBufferPointer<Observation.Attempt>) {
    // Most calls are one attempt that went well.
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
      // What follows may ask for something else; the pairs are looked for where they matter.
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
  /// Tells whether all of them are requests for the same, each after the one before it had failed.
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
