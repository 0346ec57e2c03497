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
