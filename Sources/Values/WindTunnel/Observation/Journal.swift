/// The decisions of a deck, in order.
public struct Journal: Sendable {
  /// The greatest number of entries that are kept; the oldest are dropped first.
  public static let entriesMax = 100_000

  /// One decision of a deck.
  public struct Entry: Sendable, Hashable, Identifiable {
    /// The number of the outcome.
    public var id: Int
    /// The faults that were decided, with the lane, the key and the ordinal.
    public var decision: FaultDecision
    /// The answer that was played.
    public var take: Take
    /// Tells whether an equal request of the same lane was in flight, so that the client's timing
    /// decided which of them got which answer.
    public var overlapping = false
    /// The place of a recording that would have answered just as well: the two differ only in
    /// values that were redacted, and this request is the first with its value. `nil` where the
    /// recordings differ otherwise.
    public var rival: Int?
    /// The faults for which the answer gave no room, and the changes that fitted a recording to its
    /// request, one sentence each.
    public var misfits: [String] = []
    /// Tells whether a server may get the request twice without harm (RFC 9110 §9.2.2): it is not a
    /// POST or PATCH, or it has an `Idempotency-Key`.
    public var isRepeatable = true
  }

  /// The answer that was played.
  public enum Take: Sendable, Hashable {
    /// The recording at this place of the cassette, whole.
    case recording(Int)
    /// The recording at this place, which a fault kept from the client; the next request gets it.
    case withheld(Int)
    /// The answer of a function.
    case computed
    /// The live origin's answer.
    case forwarded
    /// No answer: no recording matches.
    case unmatched
    /// No answer yet: a connection has no request.
    case connection
  }

  private var ring = Ring<Entry>(entriesMax)
  /// The number of those that are no longer kept.
  private(set) var dropped = 0

  /// Tells whether nothing was decided, not even a fault of a connection.
  package var isEmpty: Bool { ring.count == 0 }

  /// The entries that are kept, in order.
  public var all: [Entry] { ring.all }

  /// Returns the number of those that are meant of the ones that are kept; none is copied for it.
  func count(where isMeant: (Entry) -> Bool) -> Int {
    (0..<ring.count).count { isMeant(ring[$0]) }
  }

  mutating func append(_ entry: Entry) {
    if ring.isFull {
      let few = Self.entriesMax / 10
      ring.dropFirst(few)
      dropped += few
    }
    ring.append(entry)
  }

  mutating func markOverlapping(id: Int) { ring.change(id) { $0.overlapping = true } }

  mutating func note(_ misfits: [String], on id: Int) { ring.change(id) { $0.misfits += misfits } }
}

extension Journal.Take {
  /// The place of its name: in ``requestNames``, or behind them.
  var kind: Int {
    switch self {
    case .recording: 0
    case .withheld: 1
    case .computed: 2
    case .forwarded: 3
    case .unmatched: 4
    case .connection: 5
    }
  }

  /// The word for it.
  package var name: String { self == .connection ? "connection" : Self.requestNames[kind] }

  /// Every word for what a request can be dealt.
  package static let requestNames = ["recording", "withheld", "computed", "forwarded", "unmatched"]

  /// The number of the interaction on the cassette, counted from one.
  package var interaction: Int? {
    switch self {
    case .recording(let place), .withheld(let place): place + 1
    case .computed, .forwarded, .unmatched, .connection: nil
    }
  }

  /// The answer that was dealt, in a report's words.
  package var words: String { interaction.map { "\(name) \($0)" } ?? name }
}
