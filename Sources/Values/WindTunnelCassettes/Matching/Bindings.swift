internal import Foundation

/// The values that redactions stand for: in a lane, the one that came first.
///
/// Equal ordinals are equal values. Other ordinals need not be other values: a tape may have been
/// recorded in several goes, or merged, and a later recording cannot know the values of an earlier
/// one, so one token may be `token-1` and `token-2`. Only within one request, which was recorded at
/// once, do other ordinals stand for other values.
package struct Bindings: Sendable {
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
  private var ordinals: [Value: [Int]] = [:]
  private var cursors: [Cursor: Int] = [:]

  package init() {}

  /// Returns the ordinals that stand for a value, the first first.
  func ordinals(of value: String, _ name: String, _ lane: Lane) -> [Int] {
    if let named = RedactedText.ordinal(in: value, name: name) { return [named] }
    return ordinals[Value(lane: lane, name: name, value: value)] ?? []
  }

  /// Tells whether an ordinal stands for a value already.
  func isBound(_ ordinal: Int, _ name: String, _ lane: Lane) -> Bool {
    values[Ordinal(lane: lane, name: name, ordinal: ordinal)] != nil
  }

  /// Returns a value as it is meant: it is spelled otherwise in an address, in one within another
  /// and in JSON, and a recording takes all of these for one.
  static func plain(_ value: String) -> String {
    var plain = value
    for _ in 0..<3 {
      let outer = plain
      if plain.contains("%") { plain = plain.removingPercentEncoding ?? plain }
      if plain.contains("\\") {
        // What does not parse was no string of JSON.
        plain = (try? JSONParser.parse("\"\(plain)\"".utf8))?.stringValue ?? plain
      }
      if plain == outer { break }
    }
    // In a form a space is a plus sign.
    return plain.replacing(" ", with: "+")
  }

  /// Tells whether values may stand for ordinals, by what is bound and among themselves.
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
      if let named = RedactedText.ordinal(in: asked[index], name: names[index]) {
        return named == ordinal
      }
      let known = values[Ordinal(lane: lane, name: names[index], ordinal: ordinal)]
      return known == nil || known == asked[index]
    }
  }

  /// Lets values stand for ordinals from now on.
  mutating func bind(_ asked: [String], _ recorded: [Int], _ names: [String], _ lane: Lane) {
    for (value, (ordinal, name)) in zip(asked.map(Self.plain), zip(recorded, names))
    where RedactedText.ordinal(in: value, name: name) == nil && !isBound(ordinal, name, lane) {
      values[Ordinal(lane: lane, name: name, ordinal: ordinal)] = value
      ordinals[Value(lane: lane, name: name, value: value), default: []].append(ordinal)
    }
  }

  /// Returns the first of a list that holds an unbound ordinal. What is bound stays so, so this
  /// only moves on, and a look-up does not walk over what is bound.
  mutating func firstUnbound(of lists: [[Int]], id: Int, _ names: [String], _ lane: Lane) -> Int {
    let cursor = Cursor(lane: lane, id: id)
    var place = cursors[cursor, default: 0]
    while place < lists.count, zip(lists[place], names).allSatisfy({ isBound($0, $1, lane) }) {
      place += 1
    }
    cursors[cursor] = place
    return place
  }
}
