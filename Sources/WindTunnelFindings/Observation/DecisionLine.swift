package import WindTunnel

/// A decision as a line of the story: lane, key, ordinal and faults, with tabs between them.
///
/// A drill has millions, of which those of one request differ in two numbers and seldom in their
/// faults: what they share is kept once, and no line is written before somebody asks for it.
package struct DecisionLine: Sendable {
  /// The scenario and the key, which the lines of one request share.
  package final class Place: Sendable {
    package let scenario: String
    package let key: String

    /// Makes the place of a request's lines.
    package init(scenario: String, key: String) { (self.scenario, self.key) = (scenario, key) }
  }

  /// The place; `nil`: ``rest`` is the whole line.
  package let place: Place?
  private let shortCall: UInt32
  private let shortOrdinal: UInt32
  private let rest: String

  private static let none = "[]"

  /// Makes one of a line that somebody else wrote.
  package init(_ text: String) { self.init(nil, 0, 0, text) }

  /// Makes one of a call's decision at a place, if that is where it is.
  package init(_ decision: FaultDecision, of call: Int, at place: Place) {
    guard decision.key == place.key, let shortCall = UInt32(exactly: call),
      let shortOrdinal = UInt32(exactly: decision.ordinal),
      Self.isLane(decision.lane.name, of: call, in: place.scenario)
    else {
      self.init(decision.line)
      return
    }
    let faults = decision.faults.isEmpty ? Self.none : decision.faultsText
    self.init(place, shortCall, shortOrdinal, faults)
  }

  private init(_ place: Place?, _ shortCall: UInt32, _ shortOrdinal: UInt32, _ rest: String) {
    (self.place, self.shortCall, self.shortOrdinal) = (place, shortCall, shortOrdinal)
    self.rest = rest
  }

  /// Tells whether a lane has the name of a call's, without making that.
  private static func isLane(_ name: String, of call: Int, in scenario: String) -> Bool {
    let (text, number, length) = (name.utf8, String(call), scenario.utf8.count)
    guard text.count == length + 1 + number.utf8.count, name.hasPrefix(scenario),
      name.hasSuffix(number)
    else { return false }
    return text[text.index(text.startIndex, offsetBy: length)] == UInt8(ascii: "/")
  }

  /// The number of the call, where it stands at a place.
  package var call: Int { Int(shortCall) }

  /// The ordinal of the request, where it stands at a place.
  package var ordinal: Int { Int(shortOrdinal) }

  /// The faults as JSON, where it stands at a place; else the whole line.
  package var faultsOrLine: String { rest }

  /// The whole line, put together.
  package var text: String {
    guard let place else { return rest }
    return "\(place.scenario)/\(shortCall)\t\(place.key)\t\(shortOrdinal)\t\(rest)"
  }

  /// Tells whether it has no faults behind its last tab: most have none.
  package var metNothing: Bool {
    place == nil ? Observation.Attempt.metNothing(in: rest) : rest == Self.none
  }

  /// The key; `nil` of a line without one.
  package var key: Substring? { place.map { Substring($0.key) } ?? rest.key }

  /// Tells whether two lines are of the same key; a line without has none.
  package func hasKey(of other: DecisionLine) -> Bool {
    switch (place, other.place) {
    case (let mine?, let theirs?): mine === theirs || mine.key == theirs.key
    case (nil, nil): rest.hasKey(of: other.rest)
    default: key == other.key
    }
  }

  /// Returns the same decision at another place.
  package func moved(to place: Place) -> DecisionLine {
    DecisionLine(place, shortCall, shortOrdinal, rest)
  }

  /// Returns the same, stored where it is made.
  package func storedAnew() -> DecisionLine {
    DecisionLine(place, shortCall, shortOrdinal, String(decoding: rest.utf8, as: UTF8.self))
  }
}

extension DecisionLine: Hashable {
  package static func == (one: DecisionLine, other: DecisionLine) -> Bool {
    if let place = one.place, place === other.place {
      return one.shortCall == other.shortCall && one.shortOrdinal == other.shortOrdinal
        && one.rest == other.rest
    }
    return one.text == other.text
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension String {
  /// Tells whether the second fields of two lines of tabs are the same; a line without has none.
  package func hasKey(of other: String) -> Bool {
    let isSame = utf8.withContiguousStorageIfAvailable { one in
      other.utf8.withContiguousStorageIfAvailable { another in
        switch (Self.second(one), Self.second(another)) {
        case (let mine?, let theirs?): one[mine].elementsEqual(another[theirs])
        case (nil, nil): true
        default: false
        }
      }
    }
    // What comes from elsewhere may be kept otherwise.
    return (isSame ?? nil) ?? (key == other.key)
  }

  private static func second(_ line: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    guard let first = line.firstIndex(of: UInt8(ascii: "\t")),
      let end = line[(first + 1)...].firstIndex(of: UInt8(ascii: "\t"))
    else { return nil }
    return first + 1..<end
  }

  /// The second field of a line of tabs.
  package var key: Substring? {
    guard let first = utf8.firstIndex(of: UInt8(ascii: "\t")) else { return nil }
    let rest = self[utf8.index(after: first)...]
    return rest.utf8.firstIndex(of: UInt8(ascii: "\t")).map { rest[..<$0] }
  }
}
