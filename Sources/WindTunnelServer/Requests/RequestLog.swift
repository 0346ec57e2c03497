internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelSymptoms

/// The requests that a server received, for whoever asks what came: bounded, in the order of their
/// decisions, and a fold over the events of their exchanges.
struct RequestLog: Sendable, Hashable {
  /// The number of requests that are kept; the oldest go first.
  static let entriesMax = 10_000

  /// One request that was received.
  struct Entry: Sendable, Hashable {
    /// The number of the decision; it grows and is never given twice.
    var id: Int
    /// The time at which it came, from the start of the server.
    var offset: Duration
    var method: String
    /// The address as it was matched: with the origin on the cassette, not the server's own.
    var url: RequestURL
    /// The answer that was dealt for it.
    var take: Journal.Take
    var decision: FaultDecision
    /// The faults of the decision that its answer gave no room for.
    var undone: [UndoneFault] = []
    /// The end of its answer; `nil` while it is being answered.
    var end: ExchangeEnd?
  }

  /// The requests that are kept, by growing number.
  private(set) var entries: [Entry] = []
  /// The count of those that are no longer kept, and the greatest number among them.
  private(set) var dropped = 0
  private(set) var droppedThrough = 0
  /// The number of times that each recording was played whole, by place.
  private(set) var plays: [Int: Int] = [:]
  /// The counts of requests since the start, by what was dealt for them, and of faults that were
  /// done.
  private(set) var takeCounts: [String: Int] = [:]
  private(set) var faultCounts: [String: Int] = [:]
  /// The greatest number of a request that has come whole; a smaller one may be still to come.
  private var begunThrough = 0
  /// The faults that were not done of requests which have not come whole.
  private var undoneEarly: [Int: [UndoneFault]] = [:]

  init() {}

  /// Takes an event; a request is kept from its own end on.
  ///
  /// - Parameters:
  ///   - event: An event of the server's exchanges.
  ///   - offset: From the start of the server.
  mutating func apply(_ event: ExchangeEvent, at offset: Duration) {
    switch event {
    case .requestEnd(let outcome, _, _): begin(outcome, at: offset)
    case .ended(let outcome, let end): finish(outcome.id, end)
    case .undone(let outcome, let faults): note(faults, of: outcome)
    case .decided, .firstByte, .passed, .said, .notAsked, .left, .conversed, .strayed, .tunnelEnded:
      break
    }
  }

  private mutating func begin(_ outcome: Outcome, at offset: Duration) {
    var entry = Entry(
      id: outcome.id,
      offset: offset,
      method: outcome.request.method,
      url: outcome.request.url,
      take: outcome.take,
      decision: outcome.decision
    )
    begunThrough = max(begunThrough, entry.id)
    takeCounts[entry.take.name, default: 0] += 1
    for fault in entry.decision.faults { count(fault, 1) }
    if case .recording(let place) = entry.take { plays[place, default: 0] += 1 }
    if let undone = undoneEarly.removeValue(forKey: entry.id) {
      entry.undone = undone
      for undone in undone { count(undone.fault, -1) }
    }
    insert(entry)
  }

  /// Notes faults that are not done, which may be known before the request has come whole.
  private mutating func note(_ undone: [UndoneFault], of outcome: Outcome) {
    guard let index = index(of: outcome.id) else {
      if outcome.id > begunThrough {
        undoneEarly[outcome.id, default: []] += undone
      } else {
        // It was counted, and is kept no longer.
        for undone in undone { count(undone.fault, -1) }
      }
      return
    }
    entries[index].undone += undone
    for undone in undone { count(undone.fault, -1) }
  }

  private mutating func count(_ fault: Fault, _ change: Int) {
    let count = faultCounts[fault.name, default: 0] + change
    faultCounts[fault.name] = count > 0 ? count : nil
  }

  private mutating func finish(_ id: Int, _ end: ExchangeEnd?) {
    undoneEarly[id] = nil
    guard let end, let index = index(of: id) else { return }
    entries[index].end = end
  }

  /// Returns the place of a request; `nil` where it is not kept, or not yet.
  private func index(of id: Int) -> Int? {
    let index = place(after: id) - 1
    return index >= 0 && entries[index].id == id ? index : nil
  }

  /// Forgets the requests and the plays; what was counted since the start stays.
  mutating func reset() {
    entries = []
    (dropped, droppedThrough) = (0, 0)
    plays = [:]
  }

  /// Begins to count plays anew, for another tape.
  mutating func beginTape() { plays = [:] }

  private mutating func insert(_ entry: Entry) {
    if entries.count >= Self.entriesMax {
      // A tenth at a time, so that dropping costs little an entry.
      let count = Self.entriesMax / 10
      droppedThrough = entries[count - 1].id
      dropped += count
      entries.removeFirst(count)
    }
    // Decisions of several threads come here in nearly their order.
    entries.insert(entry, at: place(after: entry.id))
  }

  /// Returns the place at which the entries begin whose number is greater.
  fileprivate func place(after id: Int) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].id <= id { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Outcome {
  /// The answer that was dealt.
  var take: Journal.Take {
    switch source {
    case .recording(_, let place):
      decision.faults.contains(where: \.replacesOrCuts) ? .withheld(place) : .recording(place)
    case .computed: .computed
    case .forward: .forwarded
    case .unmatched: .unmatched
    }
  }
}

extension Fault {
  /// The key that names it in a scenario's file, such as `status`.
  var name: String {
    guard case .object(let members) = json else { return "" }
    return members.first?.name.value ?? ""
  }
}

extension RequestLog.Entry {
  /// The entry's JSON, without secrets:
  /// `{"id", "atMilliseconds", "method", "url", "source", "interaction", "ordinal", "faults",
  /// "status", "bytes", "latencyMilliseconds", "ending"}`, and `"notDone"` with a sentence for each
  /// fault that was not done, where there are any. While it is being answered, what an end has is
  /// null.
  var json: JSON {
    guard !undone.isEmpty, case .object(let members) = whole else { return whole }
    return .object(members + [.init("notDone", .array(undone.map { .text($0.description) }))])
  }

  private var whole: JSON {
    [
      "id": .number(id), "atMilliseconds": .number(offset.inMilliseconds, places: 3),
      "method": .text(method), "url": .text("\(url.withoutSecrets)"),
      "source": .text(take.name), "interaction": take.interaction.map { .number($0) } ?? .null,
      "ordinal": .number(decision.ordinal), "faults": .array(decision.faults.map(\.json)),
      "status": end?.status.map { .number($0) } ?? .null,
      "bytes": end.map { .number($0.bytes) } ?? .null,
      "latencyMilliseconds": end.map { .number($0.latency.inMilliseconds, places: 3) } ?? .null,
      "ending": end.map { .text($0.ending.name) } ?? .null,
    ]
  }

  /// The request in a person's words, without secrets: `GET https://api.example.com/home`.
  var line: String { "\(method) \(url.withoutSecrets)" }

  /// The request that a pattern is held against.
  fileprivate var request: Request { Request(method, url) }
}

extension ExchangeEnd.Ending {
  /// The way in a word: a failure's is its symptom.
  var name: String {
    switch self {
    case .whole, .cut, .clientLeft, .stopped: "\(self)"
    case .failed(let symptom): symptom.rawValue
    }
  }
}

/// A question about the requests of a log: whether one came so often, or several in an order.
///
///     { "request": "GET /users/*", "times": 2, "since": 17 }
///     { "request": "GET /users/*", "atLeast": 1, "atMost": 3 }
///     { "inOrder": ["GET /home", "POST /payments"] }
///
/// Without a number at least one is asked for. `since` leaves out what came up to that number.
struct RequestQuestion: Sendable, Hashable {
  private enum Asked: Sendable, Hashable {
    case count(RequestPattern, ClosedRange<Int>)
    case order([RequestPattern])
  }

  /// The number of the requests that were seen which an answer tells of.
  private static let toldMax = 100

  private let asked: Asked
  private let since: Int

  /// Reads a question from bytes.
  init(data: Data) throws(FormatError) {
    let source = "question"
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    let request = try top.string("request")
    let order = try top.array("inOrder")
    let times = try top.int("times", in: 0...Int.max)
    let least = try top.int("atLeast", in: 0...Int.max)
    let most = try top.int("atMost", in: 0...Int.max)
    since = try top.int("since", in: 0...Int.max) ?? 0
    try top.refuseUnknownKeys()
    switch (request, order) {
    case (let request?, nil):
      guard times == nil || (least == nil && most == nil) else {
        throw top.error("times", "it stands beside \"atLeast\" or \"atMost\"")
      }
      let low = times ?? least ?? (most == nil ? 1 : 0)
      let high = times ?? most ?? Int.max
      guard low <= high else { throw top.error("atMost", "\(high) is less than \"atLeast\"") }
      asked = .count(try top.pattern(request, at: "request"), low...high)
    case (nil, let order?):
      guard times == nil, least == nil, most == nil else {
        throw top.error("inOrder", "an order has no number; ask for it by \"request\"")
      }
      var patterns: [RequestPattern] = []
      for (index, json) in order.enumerated() {
        guard let text = json.stringValue else {
          throw top.error("inOrder[\(index)]", "\(json) is no request such as \"GET /home\"")
        }
        patterns.append(try top.pattern(text, at: "inOrder[\(index)]"))
      }
      guard !patterns.isEmpty else { throw top.error("inOrder", "no request stands here") }
      asked = .order(patterns)
    case (nil, nil), (_?, _?):
      throw top.error(
        ofAll: "one of \"request\" and \"inOrder\" should stand here",
        fix: "Such as { \"request\": \"GET /home\", \"times\": 2 }."
      )
    }
  }

  /// Tells whether a log can answer it: nothing that it asks for has been dropped.
  func isTold(by log: RequestLog) -> Bool { since >= log.droppedThrough }

  /// `{"passed", "asked", "seen"}`. What was seen is told by number and line; for an order with how
  /// many were found, and the first that was not.
  func answer(from log: RequestLog) -> JSON {
    let entries = log.entries[log.place(after: since)...]
    switch asked {
    case .count(let pattern, let range):
      let seen = entries.filter { pattern.matches($0.request) }
      return [
        "passed": .bool(range.contains(seen.count)), "asked": .text("\(pattern) \(range.words)"),
        "seen": ["count": .number(seen.count), "requests": Self.told(seen)],
      ]
    case .order(let patterns):
      var found = 0
      for entry in entries where found < patterns.count {
        if patterns[found].matches(entry.request) { found += 1 }
      }
      let seen = entries.filter { entry in patterns.contains { $0.matches(entry.request) } }
      let missing = found < patterns.count ? patterns[found].description : nil
      return [
        "passed": .bool(missing == nil),
        "asked": .text(patterns.map(\.description).joined(separator: ", then ")),
        "seen": [
          "found": .number(found), "missing": missing.map { .text($0) } ?? .null,
          "count": .number(seen.count), "requests": Self.told(seen),
        ],
      ]
    }
  }

  private static func told(_ entries: some Collection<RequestLog.Entry>) -> JSON {
    .array(entries.prefix(toldMax).map { ["id": .number($0.id), "request": .text($0.line)] })
  }
}

extension ClosedRange<Int> {
  fileprivate var words: String {
    if lowerBound == upperBound { return "exactly \(Self.times(lowerBound))" }
    if upperBound == .max { return "at least \(Self.times(lowerBound))" }
    if lowerBound == 0 { return "at most \(Self.times(upperBound))" }
    return "\(lowerBound) to \(Self.times(upperBound))"
  }

  private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}

/// The requests of a log that are meant.
struct RequestFilter: Sendable, Hashable {
  var method: String?
  var path: RequestPattern?
  /// Only what came after the request of this number.
  var since = 0
  var status: Int?
  /// A name out of `Journal.Take.requestNames`.
  var take: String?
  var limit = RequestFilter.limitDefault

  static let limitDefault = 1000

  init() {}

  /// Returns the requests that are meant, the first `limit` of them.
  func entries(of log: RequestLog) -> [RequestLog.Entry] {
    let meant = log.entries[log.place(after: since)...].lazy.filter { entry in
      (method == nil || entry.method == method) && (take == nil || entry.take.name == take)
        && (status == nil || entry.end?.status == status)
        && path?.matches(entry.request) != false
    }
    return Array(meant.prefix(limit))
  }
}

/// The requests that all connections of a server have received.
final class ReceivedRequests: Sendable {
  let log = Locked(RequestLog())
  private let start = Moment.now()

  /// The time that the server has been there.
  var uptime: Duration { .nanoseconds(Moment.now() - start) }

  func apply(_ event: ExchangeEvent) {
    log.withLock { $0.apply(event, at: uptime) }
  }
}
