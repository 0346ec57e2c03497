/// Which recordings belong to which group while an index is made: chains of numbers, since a list
/// each would take more room than the index.
struct GroupMembers {
  private var heads: [Int32] = []
  private var tails: [Int32] = []
  /// What follows a place in its group; -1 at the end.
  private var next: [Int32] = []

  /// How many groups there are.
  var count: Int { heads.count }

  /// Adds the next place, to a group that is there or to the one behind the last.
  mutating func add(_ place: Int, to group: Int) {
    next.append(-1)
    if group == heads.count {
      heads.append(Int32(place))
      tails.append(Int32(place))
    } else {
      next[Int(tails[group])] = Int32(place)
      tails[group] = Int32(place)
    }
  }

  /// The place of a group that has one only.
  func only(_ group: Int) -> Int? { heads[group] == tails[group] ? Int(heads[group]) : nil }

  /// The places of a group, in recorded order.
  func places(_ group: Int) -> [Int] {
    var places: [Int] = []
    var place = heads[group]
    while place >= 0 {
      places.append(Int(place))
      place = next[Int(place)]
    }
    return places
  }
}
