/// The position of each lane in the recordings: identical requests receive them in recorded order.
///
/// Requests for a recording with placeholders are counted by key. Beyond a large number of keys
/// only the last ones are kept (``BoundedTable``), and a key that was removed begins again.
struct Playhead: Sendable {
  private struct PlayheadKey: Hashable {
    var lane: Lane
    /// `nil` if the sequence determines it.
    var key: RequestKey?
    /// Requests of one key may be for several origins, each with its own recordings.
    var sequence: Int
    /// The indices, if they were selected for one request only.
    var chosen: [Int]
  }

  private var played = BoundedTable<PlayheadKey, Int>()
  /// The positions in the unnamed lane, by sequence, which suffice for most servers.
  private var playedUnnamed: [Int] = []

  init() {}

  /// The result of a request to a sequence of recordings.
  enum Take: Sendable, Hashable {
    /// The recording at this index of the cassette.
    case recording(Int)
    /// The recordings were played this many times, the last one at index `last`, and the end policy
    /// is to fail.
    case exhausted(times: Int, last: Int)
  }

  /// Returns the next recording. If `using` returns false, the next request receives it again.
  mutating func deal(
    _ sequence: MatchIndex.Sequence,
    lane: Lane,
    key: RequestKey,
    using: (Int) -> Bool,
    then: (Int) -> EndPolicy
  ) -> Take {
    if sequence.isOfOneKey, !sequence.isChosen, lane == .deck {
      let missing = sequence.id + 1 - playedUnnamed.count
      if missing > 0 { playedUnnamed += Array(repeating: 0, count: missing) }
      return Self.deal(&playedUnnamed[sequence.id], sequence, using, then)
    }
    let place = PlayheadKey(
      lane: lane,
      key: sequence.isOfOneKey ? nil : key,
      sequence: sequence.id,
      chosen: sequence.isChosen ? sequence.places : []
    )
    let slot = played.place(of: place, or: 0)
    return Self.deal(&played[slot], sequence, using, then)
  }

  /// Uses up the recording at an index if it is the next one.
  ///
  /// Returns false, without a change, if it is not, or if more than the sequence determines the
  /// next one.
  mutating func deal(
    _ sequence: MatchIndex.Sequence,
    lane: Lane,
    as place: Int,
    then: (Int) -> EndPolicy
  ) -> Bool {
    guard sequence.isOfOneKey, !sequence.isChosen, lane == .deck, sequence.id < playedUnnamed.count,
      Self.take(playedUnnamed[sequence.id], of: sequence, then: then) == .recording(place)
    else { return false }
    playedUnnamed[sequence.id] += 1
    return true
  }

  /// Returns the next recording, and counts it.
  private static func deal(
    _ count: inout Int,
    _ sequence: MatchIndex.Sequence,
    _ using: (Int) -> Bool,
    _ then: (Int) -> EndPolicy
  ) -> Take {
    let take = take(count, of: sequence, then: then)
    if case .recording(let recording) = take, using(recording) { count += 1 }
    return take
  }

  private static func take(
    _ count: Int,
    of sequence: MatchIndex.Sequence,
    then: (Int) -> EndPolicy
  ) -> Take {
    let places = sequence.places
    guard count >= places.count, let last = places.last else { return .recording(places[count]) }
    switch then(last) {
    case .fail: return .exhausted(times: count, last: last)
    case .repeat: return .recording(last)
    case .cycle: return .recording(places[count % places.count])
    }
  }
}
