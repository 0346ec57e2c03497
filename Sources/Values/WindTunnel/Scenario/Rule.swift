/// A condition and the faults that fire under it, together and in order.
///
/// ```swift
/// let slow = FaultRule.on("POST /payments", .attempt(1), .delay(.seconds(2)), .status(503))
/// ```
public struct FaultRule: Sendable, Hashable {
  /// The condition under which the faults fire.
  public var trigger: Trigger
  /// The faults, in order.
  public var faults: [Fault]
  /// The members of the file whose names begin with `_`, kept as they are.
  public var notes: [JSON.Member] = []
  /// The members of nested objects whose names begin with `_`, by their place: `when` or
  /// `faults[0]`.
  public var innerNotes: [String: [JSON.Member]] = [:]

  /// Makes a rule of a trigger and faults.
  public init(when trigger: Trigger, _ faults: [Fault]) {
    (self.trigger, self.faults) = (trigger, faults)
  }

  /// Makes a rule for the requests of a pattern.
  public static func on(
    _ request: RequestPattern,
    _ trigger: Trigger = .always,
    _ faults: Fault...
  ) -> FaultRule {
    on(request, trigger, faults)
  }

  /// Makes a rule for the requests of a pattern.
  public static func on(
    _ request: RequestPattern,
    _ trigger: Trigger = .always,
    _ faults: [Fault]
  ) -> FaultRule {
    var trigger = trigger
    trigger.request = request
    return FaultRule(when: trigger, faults)
  }

  /// Makes a rule for every request and connection.
  public static func always(_ trigger: Trigger = .always, _ faults: Fault...) -> FaultRule {
    FaultRule(when: trigger, faults)
  }

  /// Tells whether it speaks of connections rather than of requests: all its faults do, and nothing
  /// in its trigger needs a request.
  package var isForConnections: Bool {
    trigger.isForConnections
      && faults.allSatisfy {
        if case .connection = $0 { return true }
        return false
      }
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
  /// The faults, in order, with everything random drawn.
  public var faults: [Fault]

  /// The key of connections.
  public static let connectionKey = "connection"

  /// One line with the whole decision, the same on every machine: the input of the story's hash.
  public var line: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes the line behind others: every call of a drill has sixteen in its story.
  func write(to text: inout [UInt8]) {
    text += lane.name.utf8
    text.append(UInt8(ascii: "\t"))
    text += key.utf8
    text.append(UInt8(ascii: "\t"))
    text += String(ordinal).utf8
    text.append(UInt8(ascii: "\t"))
    text += (faults.isEmpty ? "[]" : faultsText).utf8
  }

  /// The faults as JSON, which are the end of the line.
  package var faultsText: String { "\(JSON.array(faults.map(\.json)))" }
}

extension FaultRule: JSONObject {
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
      throw fields.object.error("faults", "a list of at least one fault should stand here")
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
    let problem = "this cannot happen as well; \(conflict.reason)"
    throw fields.object.error("faults[\(conflict.index)]", problem, fix: FaultConflict.fix)
  }
}

/// Two faults of one rule that cannot both happen to an exchange: where the later of them stands,
/// and why.
struct FaultConflict: Sendable, Hashable {
  /// The place in the list of the fault that cannot be met as well.
  var index: Int
  /// The reason that stands against it, as a part of a sentence.
  var reason: String

  /// The faults that a rule may hold, in words.
  static let fix =
    "One rule takes one way for the connection to fail and nothing else of the answer, or else at "
    + "most one of \"status\" and \"answer\", one \"malformed\", and one place where the answer ends. "
    + "What should happen to different requests belongs in rules of their own."

  /// The first conflict in a list of faults, which compose in their order; `nil`: all can happen.
  init?(_ faults: [Fault]) {
    for (index, fault) in faults.enumerated() {
      for (place, other) in faults[..<index].enumerated() {
        guard let reason = Self.reason(other, fault) ?? Self.reason(fault, other) else { continue }
        (self.index, self.reason) = (index, "faults[\(place)] stands against it: \(reason)")
        return
      }
    }
    return nil
  }

  /// Returns why one fault leaves no room for the other; `nil`: it does.
  private static func reason(_ one: Fault, _ other: Fault) -> String? {
    switch (one, other) {
    case (_, .delay): nil
    case (_, .connection(let late)) where late.symptom == nil: nil
    case (.connection(let failed), _) where failed.symptom != nil:
      "a connection that fails carries no answer and fails in one way"
    case (.status, .status), (.status, .answer), (.answer, .status), (.answer, .answer):
      "there is one answer"
    case (.malformed, .malformed): "an answer has one form"
    case _ where !one.endsAnswer: nil
    case _ where other.endsAnswer: "an answer ends once"
    case (_, .idle): "only a connection whose answer was whole is idle"
    case (_, .connection): nil
    case (.cut(.afterRequest, _), _): "the answer ends before its first byte"
    default: nil
    }
  }
}
