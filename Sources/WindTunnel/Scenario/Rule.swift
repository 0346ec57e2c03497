/// When × what: the faults of a rule fire together, in order.
public struct Rule: Sendable, Hashable {
  /// The condition under which it fires.
  public var trigger: Trigger
  /// The faults, in their order.
  public var faults: [Fault]
  /// Keys that begin with `_`: kept as they are.
  public var notes: [JSON.Member] = []
  /// Keys that begin with `_` in the objects within, by their place: `when` or `faults[0]`.
  public var innerNotes: [String: [JSON.Member]] = [:]

  /// Makes a rule of its trigger and faults.
  public init(when trigger: Trigger, _ faults: [Fault]) {
    self.trigger = trigger
    self.faults = faults
  }

  /// A rule for such requests.
  public static func on(
    _ request: RequestPattern,
    _ trigger: Trigger = .always,
    _ faults: Fault...
  ) -> Rule {
    on(request, trigger, faults)
  }

  /// A rule for such requests.
  public static func on(
    _ request: RequestPattern,
    _ trigger: Trigger = .always,
    _ faults: [Fault]
  ) -> Rule {
    var trigger = trigger
    trigger.request = request
    return Rule(when: trigger, faults)
  }

  /// A rule for every request and connection.
  public static func always(_ trigger: Trigger = .always, _ faults: Fault...) -> Rule {
    Rule(when: trigger, faults)
  }

  /// Tells whether it speaks of connections rather than of requests: all its faults do, and nothing in
  /// its trigger needs a request.
  package var isForConnections: Bool {
    trigger.isForConnections
      && faults.allSatisfy {
        if case .connection = $0 { return true }
        return false
      }
  }
}

/// The faults that were decided for one connection or request.
public struct Decision: Sendable, Hashable {
  /// The lane it was decided in.
  public var lane: Lane
  /// The request's key; ``connectionKey`` for a connection.
  public var key: String
  /// The ordinal of the request within its key and lane, from one.
  public var ordinal: Int
  /// The faults, in their order, with everything random drawn.
  public var faults: [Fault]

  /// The key of connections.
  public static let connectionKey = "connection"

  /// One line that says all of it, the same on every machine: what the story's hash is made of.
  public var line: String {
    "\(lane)\t\(key)\t\(ordinal)\t\(JSON.array(faults.map(\.json)))"
  }
}

extension Rule {
  init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    let when = try object.object("when")
    let trigger = try when.map { object throws(FormatError) in try Trigger(reading: object) }
    let place = object.place("faults")
    let source = object.source
    guard let faults = try object.array("faults"), !faults.isEmpty else {
      throw object.error("faults", "a list of at least one fault should stand here")
    }
    try object.refuseUnknownKeys()
    self.init(when: trigger ?? .always, [])
    notes = object.notes
    if let when, !when.notes.isEmpty { innerNotes["when"] = when.notes }
    for (index, json) in faults.enumerated() {
      let object = try ObjectReader(json, source: source, path: "\(place)[\(index)]")
      self.faults.append(try Fault(reading: object))
      if !object.notes.isEmpty { innerNotes["faults[\(index)]"] = object.notes }
    }
    if let conflict = FaultConflict(self.faults) {
      throw FormatError(
        source: source,
        place: "\(place)[\(conflict.index)]",
        problem: "this cannot happen as well; \(conflict.reason)",
        remedy: FaultConflict.remedy
      )
    }
  }

  var json: JSON {
    let faults = faults.enumerated().map { index, fault in
      fault.json.adding(innerNotes["faults[\(index)]"])
    }
    let when = trigger.json.adding(innerNotes["when"])
    let members = [JSON.Member("when", when), JSON.Member("faults", .array(faults))]
    return .object((when == [:] ? Array(members.dropFirst()) : members) + notes)
  }
}

extension JSON {
  /// This object with notes behind its members.
  fileprivate func adding(_ notes: [Member]?) -> JSON {
    guard case .object(let members) = self, let notes else { return self }
    return .object(members + notes)
  }
}
