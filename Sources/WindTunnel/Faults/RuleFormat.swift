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

extension Trigger {
  fileprivate init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    request = try object.string("request").map { RequestPattern($0) }
    first = try object.int("first", in: 1...1_000_000_000)
    attempt = try object.int("attempt", in: 1...1_000_000_000)
    every = try object.int("every", in: 1...1_000_000_000)
    probability = try object.double("probability", in: 0...1)
    try object.refuseUnknownKeys()
  }

  var json: JSON {
    var members: [JSON.Member] = []
    if let request { members.append(JSON.Member("request", .text(request.description))) }
    if let first { members.append(JSON.Member("first", .number(first))) }
    if let attempt { members.append(JSON.Member("attempt", .number(attempt))) }
    if let every { members.append(JSON.Member("every", .number(every))) }
    if let probability {
      members.append(JSON.Member("probability", .exactly(probability)))
    }
    return .object(members)
  }
}

extension JSON {
  /// This object with notes behind its members.
  fileprivate func adding(_ notes: [Member]?) -> JSON {
    guard case .object(let members) = self, let notes else { return self }
    return .object(members + notes)
  }
}
