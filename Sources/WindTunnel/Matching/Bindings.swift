internal import Foundation

/// Which value a redaction stands for: in a lane, the one that came first.
///
/// Equal values bear equal ordinals on a cassette, so at replay one value is one ordinal and one
/// ordinal one value.
struct Bindings: Sendable {
  private struct Ordinal: Hashable {
    var lane: Lane
    var name: String
    var ordinal: Int
  }

  private struct Value: Hashable {
    var lane: Lane
    var name: String
    var value: String
  }

  private struct Cursor: Hashable {
    var lane: Lane
    var id: Int
  }

  private var values: [Ordinal: String] = [:]
  private var ordinals: [Value: Int] = [:]
  private var cursors: [Cursor: Int] = [:]

  /// The ordinal that stands for a value.
  func ordinal(of value: String, _ name: String, _ lane: Lane) -> Int? {
    RedactedText.ordinal(in: value, name: name)
      ?? ordinals[Value(lane: lane, name: name, value: value)]
  }

  /// Whether an ordinal stands for a value already.
  func isBound(_ ordinal: Int, _ name: String, _ lane: Lane) -> Bool {
    values[Ordinal(lane: lane, name: name, ordinal: ordinal)] != nil
  }

  /// A value as it is meant: in an address it is spelled otherwise than in JSON.
  static func plain(_ value: String) -> String { value.removingPercentEncoding ?? value }

  /// Whether values may stand for ordinals, by what is bound and among themselves.
  func agree(_ asked: [String], _ recorded: [Int], _ names: [String], _ lane: Lane) -> Bool {
    let asked = asked.map(Self.plain)
    return asked.indices.allSatisfy { index in
      let ordinal = recorded[index]
      guard
        asked[..<index].indices.allSatisfy({ earlier in
          names[earlier] != names[index]
            || (asked[earlier] == asked[index]) == (recorded[earlier] == ordinal)
        })
      else { return false }
      return self.ordinal(of: asked[index], names[index], lane).map { $0 == ordinal }
        ?? !isBound(ordinal, names[index], lane)
    }
  }

  /// Lets values stand for ordinals from now on.
  mutating func bind(_ asked: [String], _ recorded: [Int], _ names: [String], _ lane: Lane) {
    for (value, (ordinal, name)) in zip(asked.map(Self.plain), zip(recorded, names))
    where self.ordinal(of: value, name, lane) == nil {
      values[Ordinal(lane: lane, name: name, ordinal: ordinal)] = value
      ordinals[Value(lane: lane, name: name, value: value)] = ordinal
    }
  }

  /// The first of a list that holds an unbound ordinal. What is bound stays so, so this only moves
  /// on, and a look-up does not walk over what is bound.
  mutating func firstUnbound(
    of lists: [[Int]],
    id: Int,
    _ names: [String],
    _ lane: Lane
  ) -> Int {
    let cursor = Cursor(lane: lane, id: id)
    var place = cursors[cursor, default: 0]
    while place < lists.count,
      zip(lists[place], names).allSatisfy({ isBound($0, $1, lane) })
    {
      place += 1
    }
    cursors[cursor] = place
    return place
  }
}
