/// What a deck decided, in the order of the decisions.
public struct Journal: Sendable {
  /// How many entries are kept; the oldest go first.
  public static let entriesMax = 100_000

  /// One decision.
  public struct Entry: Sendable, Hashable {
    /// The number of the outcome.
    public var id: Int
    /// What was decided about faults; lane, key and ordinal with it.
    public var decision: Decision
    /// What was dealt.
    public var take: Take
    /// Whether an equal request of the same lane was in flight, so that which of them got which
    /// was the client's affair.
    public var overlapping = false
    /// Which mutations were not done because the answer gave no room for them, in a sentence each.
    public var misfits: [String] = []
    /// Whether a server may meet the request twice without harm (RFC 9110 §9.2.2): it is not a POST
    /// or PATCH, or it bears an `Idempotency-Key`.
    public var isRepeatable = true
  }

  /// What was dealt.
  public enum Take: Sendable, Hashable {
    /// The recording at this place of the cassette, whole.
    case recording(Int)
    /// The recording at this place, which a fault kept from the client; the next request gets it.
    case withheld(Int)
    /// The answer of a function.
    case computed
    /// The live origin's answer.
    case forwarded
    /// Nothing: no recording answers.
    case unmatched
    /// Nothing yet: a connection has no request.
    case connection
  }

  /// A ring once it is full. What is dropped stays in its place until that is needed, so that
  /// nothing moves and no request pays for ten thousand others.
  private var ring: [Entry] = []
  private var start = 0
  private var count = 0
  /// How many are no longer kept.
  private(set) var dropped = 0

  /// Tells whether nothing was decided, not even a fault of a connection.
  package var isEmpty: Bool { count == 0 }

  /// Everything that is kept, in order.
  public var all: [Entry] { (0..<count).map { ring[place($0)] } }

  /// How many of those that are kept are meant; none is copied for it.
  func count(where isMeant: (Entry) -> Bool) -> Int {
    (0..<count).count { isMeant(ring[place($0)]) }
  }

  mutating func append(_ entry: Entry) {
    if count == Self.entriesMax {
      let few = Self.entriesMax / 10
      start = place(few)
      count -= few
      dropped += few
    }
    if ring.count < Self.entriesMax { ring.append(entry) } else { ring[place(count)] = entry }
    count += 1
  }

  /// Where the entry stands that is so many behind the oldest.
  private func place(_ offset: Int) -> Int {
    let place = start + offset
    return place < Self.entriesMax ? place : place - Self.entriesMax
  }

  mutating func markOverlapping(id: Int) {
    change(id) { $0.overlapping = true }
  }

  mutating func note(_ misfits: [String], on id: Int) {
    change(id) { $0.misfits = misfits }
  }

  private mutating func change(_ id: Int, _ change: (inout Entry) -> Void) {
    // Ids grow along the list, so halving it finds one.
    var range = 0..<count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let found = ring[place(middle)].id
      if found == id { return change(&ring[place(middle)]) }
      range = found < id ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
  }
}
