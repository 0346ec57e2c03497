internal import WindTunnelSymptoms

/// The requests that a server received, for whoever asks what came: bounded, in the order of their
/// decisions, and a fold over the events of their exchanges.
package struct RequestLog: Sendable, Hashable {
  /// The number of requests that are kept; the oldest go first.
  package static let entriesMax = 10_000

  /// One request.
  package struct Entry: Sendable, Hashable {
    /// The number of the decision; it grows and is never given twice.
    package var id: Int
    /// The time at which it came, from the start of the server.
    package var offset: Duration
    package var method: String
    /// The address as it was matched: with the origin on the cassette, not the server's own.
    package var url: RequestURL
    /// The answer that was dealt for it.
    package var take: Journal.Take
    package var decision: Decision
    /// The end of its answer; `nil` while it is being answered.
    package var end: ExchangeEnd?
  }

  /// The requests that are kept, by growing number.
  package private(set) var entries: [Entry] = []
  /// The count of those that are no longer kept, and the greatest number among them.
  package private(set) var dropped = 0
  package private(set) var droppedThrough = 0
  /// The number of times that each recording was played whole, by place.
  package private(set) var plays: [Int: Int] = [:]
  /// The counts of requests since the start, by what was dealt for them, and of faults that fired.
  package private(set) var takeCounts: [String: Int] = [:]
  package private(set) var faultCounts: [String: Int] = [:]

  package init() {}

  /// Takes an event; a request is kept from its own end on.
  ///
  /// - Parameters:
  ///   - event: An event of the server's exchanges.
  ///   - offset: From the start of the server.
  package mutating func apply(_ event: ExchangeEvent, at offset: Duration) {
    switch event {
    case .requestEnd(let outcome, _, _): begin(outcome, at: offset)
    case .ended(let outcome, let end?): finish(outcome.id, end)
    case .decided, .firstByte, .ended(_, nil), .tunnelEnded: break
    }
  }

  private mutating func begin(_ outcome: Outcome, at offset: Duration) {
    let entry = Entry(
      id: outcome.id,
      offset: offset,
      method: outcome.request.method,
      url: outcome.request.url,
      take: outcome.take,
      decision: outcome.decision
    )
    takeCounts[entry.take.name, default: 0] += 1
    for fault in entry.decision.faults { faultCounts[fault.name, default: 0] += 1 }
    if case .recording(let place) = entry.take { plays[place, default: 0] += 1 }
    insert(entry)
  }

  private mutating func finish(_ id: Int, _ end: ExchangeEnd) {
    let index = place(after: id) - 1
    // It may be dropped by now.
    guard index >= 0, entries[index].id == id else { return }
    entries[index].end = end
  }

  /// Forgets the requests and the plays; what was counted since the start stays.
  package mutating func reset() {
    entries = []
    (dropped, droppedThrough) = (0, 0)
    plays = [:]
  }

  /// Begins to count plays anew, for another tape.
  package mutating func beginTape() { plays = [:] }

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
  package func place(after id: Int) -> Int {
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
  package var take: Journal.Take {
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
  package var name: String {
    guard case .object(let members) = json else { return "" }
    return members.first?.name.value ?? ""
  }
}

extension RequestLog.Entry {
  /// The entry's JSON, without secrets:
  /// `{"id", "atMilliseconds", "method", "url", "take", "interaction", "ordinal", "faults", "status",
  /// "bytes", "latencyMilliseconds", "ending"}`. While it is being answered, what an end has is null.
  package var json: JSON {
    [
      "id": .number(id), "atMilliseconds": .number(offset.inMilliseconds, places: 3),
      "method": .text(method), "url": .text("\(url.withoutSecrets)"),
      "take": .text(take.name), "interaction": take.interaction.map { .number($0) } ?? .null,
      "ordinal": .number(decision.ordinal), "faults": .array(decision.faults.map(\.json)),
      "status": end?.status.map { .number($0) } ?? .null,
      "bytes": end.map { .number($0.bytes) } ?? .null,
      "latencyMilliseconds": end.map { .number($0.latency.inMilliseconds, places: 3) } ?? .null,
      "ending": end.map { .text($0.ending.name) } ?? .null,
    ]
  }

  /// The request in a person's words, without secrets: `GET https://api.example.com/home`.
  package var line: String { "\(method) \(url.withoutSecrets)" }

  /// The request that a pattern is held against.
  var request: Request { Request(method, url) }
}

extension ExchangeEnd.Ending {
  fileprivate var name: String {
    switch self {
    case .whole: "whole"
    case .cut: "cut"
    case .clientLeft: "clientLeft"
    case .stopped: "stopped"
    case .failed(let symptom): symptom.rawValue
    }
  }
}
