/// The decisions of a deck, in order.
public struct Journal: Sendable {
  /// The maximum number of entries that are kept; the oldest are dropped first.
  public static let entriesMax = 100_000

  /// One decision of a deck.
  public struct Record: Sendable, Hashable, Identifiable {
    /// The number of the outcome.
    public var id: Int
    /// The faults that were decided, with the lane, the key and the ordinal.
    public var decision: FaultDecision
    /// The response that was selected.
    public var take: Take
    /// Whether an equal request of the same lane was running at the same time.
    ///
    /// The client's timing then decided which request received which response.
    public var overlapping = false
    /// The index of a recording that matches the request equally well; `nil` if there is none.
    ///
    /// The two recordings differ only in values that were redacted, and this request is the first
    /// with its value.
    public var rival: Int?
    /// The faults that were not possible with the response, and the changes that adapted a
    /// recording to its request; one sentence each.
    public var misfits: [String] = []
    /// Whether a server may receive the request twice without harm (RFC 9110 §9.2.2): it is not a
    /// POST or PATCH, or it has an `Idempotency-Key`.
    public var isRepeatable = true
  }

  /// The response that was selected for a request.
  public enum Take: Sendable, Hashable {
    /// The recording at this index of the cassette, whole.
    case recording(Int)
    /// The recording at this index, which a fault withheld from the client; the next request gets
    /// it.
    case withheld(Int)
    /// The response of a function.
    case computed
    /// The live origin's response.
    case forwarded
    /// No response: no recording matches.
    case unmatched
    /// No response yet: a connection has no request.
    case connection
  }

  private var ring = Ring<Record>(entriesMax)
  /// The number of the oldest entries that the ring has dropped to make room for newer ones.
  private(set) var dropped = 0

  /// Whether the deck has decided nothing, not even a fault of a connection.
  package var isEmpty: Bool { ring.count == 0 }

  /// The entries that are kept, in order.
  public var all: [Record] { ring.all }

  /// Returns the number of kept entries that meet a condition, without copying them.
  func count(where isMeant: (Record) -> Bool) -> Int {
    (0..<ring.count).count { isMeant(ring[$0]) }
  }

  mutating func append(_ entry: Record) {
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
  /// The index of its name in ``requestNames``; for a connection, the index after the last name.
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

  /// The name of the kind, such as `recording`.
  package var name: String { self == .connection ? "connection" : Self.requestNames[kind] }

  /// The names of all kinds that a request can have.
  package static let requestNames = ["recording", "withheld", "computed", "forwarded", "unmatched"]

  /// The number of the interaction on the cassette, counted from 1; `nil` for other sources.
  package var interaction: Int? {
    switch self {
    case .recording(let place), .withheld(let place): place + 1
    case .computed, .forwarded, .unmatched, .connection: nil
    }
  }

  /// The source of the response as reports name it, such as `recording 3`.
  package var words: String { interaction.map { "\(name) \($0)" } ?? name }
}
