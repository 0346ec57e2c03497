internal import Foundation

/// The values of placeholders: in each lane, the first value that matched.
///
/// Equal ordinals have equal values. Different ordinals may have equal values, because a cassette
/// may have been recorded in several runs or merged. A later recording cannot know the values of an
/// earlier one, so one token may be both `token-1` and `token-2`. Only within one request, which
/// was recorded at once, do different ordinals have different values.
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

  /// Returns the ordinals that are bound to a value, the first one first.
  func ordinals(of value: String, _ name: String, _ lane: Lane) -> [Int] {
    if let named = RedactedText.ordinal(in: value, name: name) { return [named] }
    return ordinals[Value(lane: lane, name: name, value: value)] ?? []
  }

  /// Whether an ordinal is already bound to a value.
  func isBound(_ ordinal: Int, _ name: String, _ lane: Lane) -> Bool {
    values[Ordinal(lane: lane, name: name, ordinal: ordinal)] != nil
  }

  /// Returns the unescaped value. It is escaped differently in a URL, in a URL within a URL and in
  /// JSON, but a recording uses one placeholder for all of them.
  static func plain(_ value: String) -> String {
    var plain = value
    for _ in 0..<3 {
      let outer = plain
      if plain.contains("%") { plain = plain.removingPercentEncoding ?? plain }
      if plain.contains("\\") {
        // Text that does not parse was not a JSON string.
        plain = (try? JSONParser.parse("\"\(plain)\"".utf8))?.stringValue ?? plain
      }
      if plain == outer { break }
    }
    // In a form, a space is a plus sign.
    return plain.replacing(" ", with: "+")
  }

  /// Whether ordinals can have these values, compared with the bindings and with each other.
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

  /// Binds ordinals to values.
  mutating func bind(_ asked: [String], _ recorded: [Int], _ names: [String], _ lane: Lane) {
    for (value, (ordinal, name)) in zip(asked.map(Self.plain), zip(recorded, names))
    where RedactedText.ordinal(in: value, name: name) == nil && !isBound(ordinal, name, lane) {
      values[Ordinal(lane: lane, name: name, ordinal: ordinal)] = value
      ordinals[Value(lane: lane, name: name, value: value), default: []].append(ordinal)
    }
  }

  /// Returns the index of the first list with an unbound ordinal. Bindings are permanent, so the
  /// search continues from the previous result.
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
