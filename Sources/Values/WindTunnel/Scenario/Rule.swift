/// A condition and the faults that fire under it, together and in order.
///
/// ```swift
/// let slow = FaultRule.on("POST /payments", .attempt(1), .delay(.seconds(2)), .status(503))
/// ```
public struct FaultRule: Sendable, Hashable, JSONObject {
  /// The condition under which the faults fire.
  public var trigger: Trigger
  /// The faults, in order.
  public var faults: [Fault]
  /// The members of the file whose names begin with `_`, kept as they are.
  public var notes: [JSON.Member] = []
  /// The members of nested objects whose names begin with `_`, by the object's path: `when` or
  /// `faults[0]`.
  public var innerNotes: [String: [JSON.Member]] = [:]

  /// Creates a rule from a trigger and its faults.
  public init(when trigger: Trigger, _ faults: [Fault]) {
    (self.trigger, self.faults) = (trigger, faults)
  }

  /// Creates a rule for the requests that match a pattern.
  public static func on(
    _ request: RequestPattern,
    _ trigger: Trigger = .always,
    _ faults: Fault...
  ) -> FaultRule {
    on(request, trigger, faults)
  }

  /// Creates a rule for the requests that match a pattern.
  public static func on(
    _ request: RequestPattern,
    _ trigger: Trigger = .always,
    _ faults: [Fault]
  ) -> FaultRule {
    var trigger = trigger
    trigger.request = request
    return FaultRule(when: trigger, faults)
  }

  /// Creates a rule for every request and connection.
  public static func always(_ trigger: Trigger = .always, _ faults: Fault...) -> FaultRule {
    FaultRule(when: trigger, faults)
  }

  /// Whether the rule applies to connections instead of requests: all its faults are connection
  /// faults, and its trigger needs no request.
  package var isForConnections: Bool {
    trigger.isForConnections
      && faults.allSatisfy { if case .connection = $0 { true } else { false } }
  }

  package static let blank = Self(when: .always, [])

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    guard fields.isReading else {
      let when = trigger.members + (innerNotes["when"] ?? [])
      let faults = faults.enumerated().map { index, fault in
        fault.json.adding(innerNotes["faults[\(index)]"] ?? [])
      }
      fields.write("when", when.isEmpty ? JSON?.none : .object(when))
      fields.write("faults", .array(faults))
      return fields.notes(&notes)
    }
    var (when, whenNotes): (Trigger?, [JSON.Member]) = (nil, [])
    try fields.nested("when", &when, notes: &whenNotes)
    trigger = when ?? .always
    if !whenNotes.isEmpty { innerNotes["when"] = whenNotes }
    guard let faults = try fields.object.array("faults"), !faults.isEmpty else {
      throw fields.object.error("faults", "expected a list of at least one fault")
    }
    try fields.refuseUnknownKeys()
    fields.notes(&notes)
    for (index, json) in faults.enumerated() {
      let path = fields.object.place("faults[\(index)]")
      let object = try ObjectReader(json, source: fields.object.source, path: path)
      self.faults.append(try Fault(reading: object))
      if !object.notes.isEmpty { innerNotes["faults[\(index)]"] = object.notes }
    }
    guard let conflict = FaultConflict(self.faults) else { return }
    let problem = "this fault excludes the others; \(conflict.reason)"
    throw fields.object.error("faults[\(conflict.index)]", problem, fix: FaultConflict.fix)
  }
}

/// The faults that were decided for one connection or request.
public struct FaultDecision: Sendable, Hashable {
  /// The lane of the connection or request.
  public var lane: Lane
  /// The request's key; ``connectionKey`` for a connection.
  public var key: String
  /// The ordinal of the request within its key and lane, from 1.
  public var ordinal: Int
  /// The faults, in order, with all random values drawn.
  public var faults: [Fault]

  /// The key of connections.
  public static let connectionKey = "connection"

  /// The decision as one line of text, equal on every machine. The fault plan's hash is computed
  /// from it.
  public var line: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the line to a text. A buffer saves time: each call of a drill has sixteen lines in its
  /// plan.
  func write(to text: inout [UInt8]) {
    text += lane.name.utf8
    text.append(UInt8(ascii: "\t"))
    text += key.utf8
    text.append(UInt8(ascii: "\t"))
    text += String(ordinal).utf8
    text.append(UInt8(ascii: "\t"))
    text += (faults.isEmpty ? "[]" : faultsText).utf8
  }

  /// The faults as JSON, which is the last field of the line.
  package var faultsText: String { "\(JSON.array(faults.map(\.json)))" }
}

/// Two faults of one rule that cannot both happen to an exchange: the index of the later one, and
/// the reason.
struct FaultConflict: Sendable, Hashable {
  /// The index of the later fault in the list.
  var index: Int
  /// The reason, as part of a sentence.
  var reason: String

  /// The combinations of faults that a rule may have, as the advice of an error.
  static let fix =
    "A rule has either one connection failure, or at most one \"status\" or \"answer\", one "
    + "\"malformed\", and one end of the response. Write separate rules for separate requests."

  /// Finds the first conflict in a list of faults, which compose in their order; `nil` if there is
  /// none.
  init?(_ faults: [Fault]) {
    for (index, fault) in faults.enumerated() {
      for (place, other) in faults[..<index].enumerated() {
        guard let reason = Self.reason(other, fault) ?? Self.reason(fault, other) else { continue }
        (self.index, self.reason) = (index, "faults[\(place)] excludes it: \(reason)")
        return
      }
    }
    return nil
  }

  /// Returns the reason why the second fault cannot follow the first; `nil` if both are possible.
  private static func reason(_ one: Fault, _ other: Fault) -> String? {
    switch (one, other) {
    case (_, .delay): nil
    case (_, .connection(let late)) where late.symptom == nil: nil
    case (.connection(let failed), _) where failed.symptom != nil:
      "a failed connection has no response and one failure"
    case (.status, .status), (.status, .answer), (.answer, .status), (.answer, .answer):
      "there is one response"
    case (.malformed, .malformed): "a response has one form"
    case _ where !one.endsAnswer: nil
    case _ where other.endsAnswer: "a response ends once"
    case (_, .idle): "only a connection with a complete response is idle"
    case (_, .connection): nil
    case (.cut(.afterRequest, _), _): "the response ends before its first byte"
    default: nil
    }
  }
}
