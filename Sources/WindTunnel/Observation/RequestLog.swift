/// The requests that a server received, for whoever asks what came: bounded, in the order of their
/// decisions.
package struct RequestLog: Sendable, Hashable {
  /// How many requests are kept; the oldest go first.
  package static let entriesMax = 10_000

  /// One request.
  package struct Entry: Sendable, Hashable {
    /// The number of the decision; it grows and is never given twice.
    package var id: Int
    /// When it was decided, from the start of the server.
    package var offset: Duration
    package var method: String
    /// As it was matched: with the origin on the tape, not the server's own.
    package var url: RequestURL
    /// What was dealt for it.
    package var take: Journal.Take
    package var decision: Decision
    /// How it ended; `nil` while it is being answered.
    package var end: End?
  }

  /// How an answer ended.
  package struct End: Sendable, Hashable {
    /// `nil` where no status went out.
    package var status: Int?
    /// The content that went to the client.
    package var bytes: Int
    package var latency: Duration
    package var ending: SeenRequest.Ending

    package init(status: Int?, bytes: Int, latency: Duration, ending: SeenRequest.Ending) {
      self.status = status
      self.bytes = bytes
      self.latency = latency
      self.ending = ending
    }
  }

  /// What is kept, by growing number.
  package private(set) var entries: [Entry] = []
  /// How many are no longer kept, and the greatest number among them.
  package private(set) var dropped = 0
  package private(set) var droppedThrough = 0
  /// How often each recording was played whole, by place.
  package private(set) var plays: [Int: Int] = [:]
  /// How many requests came since the start, by what was dealt for them, and how many faults fired.
  package private(set) var takeCounts: [String: Int] = [:]
  package private(set) var faultCounts: [String: Int] = [:]

  package init() {}

  /// Notes a request that was decided.
  package mutating func begin(_ outcome: Outcome, at offset: Duration) {
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

  /// Notes how an answer ended.
  package mutating func finish(_ id: Int, _ end: End) {
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

  /// Where the entries begin whose number is greater.
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
  /// What was dealt.
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

extension Journal.Take {
  /// The word for it.
  package var name: String {
    switch self {
    case .recording: "recording"
    case .withheld: "withheld"
    case .computed: "computed"
    case .forwarded: "forwarded"
    case .unmatched: "unmatched"
    case .connection: "connection"
    }
  }

  /// Every word for what a request can be dealt.
  package static let requestNames = ["recording", "withheld", "computed", "forwarded", "unmatched"]

  /// The number of the interaction on the cassette, counted from one.
  package var interaction: Int? {
    switch self {
    case .recording(let place), .withheld(let place): place + 1
    case .computed, .forwarded, .unmatched, .connection: nil
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
