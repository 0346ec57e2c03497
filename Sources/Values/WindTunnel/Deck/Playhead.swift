/// The place at which each lane stands in the recordings: identical requests get them in recorded
/// order.
///
/// What a recording with placeholders was asked for is remembered by key, and of very many keys
/// only the last (``BoundedTable``): one that was forgotten begins at the head again.
struct Playhead: Sendable {
  private struct Place: Hashable {
    var lane: Lane
    /// `nil` where the sequence says it.
    var key: RequestKey?
    /// Requests of one key may be meant for several origins, each with its own recordings.
    var sequence: Int
    /// The places that were chosen, where they were for one request.
    var chosen: [Int]
  }

  private var played = BoundedTable<Place, Int>()
  /// The same for the lane that nobody has named, by sequence: all that most servers ever need.
  private var playedUnnamed: [Int] = []

  init() {}

  /// The outcome for a request at the head of a sequence.
  enum Take: Sendable, Hashable {
    /// The recording at this place of the cassette.
    case recording(Int)
    /// The recordings were played this many times, the one at place `last` at the end, and the end
    /// policy is to fail.
    case exhausted(times: Int, last: Int)
  }

  /// Deals the next recording; where `using` says no the next request gets it once more.
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
    let place = Place(
      lane: lane,
      key: sequence.isOfOneKey ? nil : key,
      sequence: sequence.id,
      chosen: sequence.isChosen ? sequence.places : []
    )
    let slot = played.place(of: place, or: 0)
    return Self.deal(&played[slot], sequence, using, then)
  }

  /// Deals the recording at a place, if that is the next; false where it is not, or where more than
  /// the sequence says which is, and then nothing was dealt.
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

  /// Deals the next recording, and counts it.
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
