extension Fault {
  static let bytes = 0...(1 << 50)
  static let statuses = 200...599

  init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    var found: [Fault] = []
    let milliseconds = 0.0...86_400_000
    let delay = try object.double("delayMilliseconds", in: milliseconds)
    let jitter = try object.double("jitterMilliseconds", in: milliseconds)
    let through = try object.double("throughMilliseconds", in: milliseconds)
    if let delay {
      found.append(.delay(try Self.spread(delay, jitter: jitter, through: through, object)))
    } else if jitter != nil || through != nil {
      throw object.error("delayMilliseconds", "jitter and range need a delay")
    }
    if let status = try Self.status(reading: &object) { found.append(status) }
    found += try Self.cuts(reading: &object)
    found += try Self.http(reading: &object)
    if let kind = try object.choice("connect", Attempt.self) {
      found.append(.connection(kind.fault))
    }
    if let count = try object.int("lostSYNs", in: 1...ConnectionFault.lostSYNsMax) {
      found.append(.connection(.lostSYNs(count)))
    }
    if try object.choice("dns", Lookup.self) != nil { found.append(.connection(.hostNotFound)) }
    if let fault = try object.choice("tls", TLSFault.self) {
      found.append(.connection(.tls(fault)))
    }
    if let mutation = try Mutation(reading: &object) { found.append(.mutate(mutation)) }
    try object.refuseUnknownKeys()
    guard let fault = found.first else {
      throw FormatError(
        source: object.source,
        place: object.path,
        problem: "no fault is named here",
        remedy: "Write for example { \"status\": 503 } or { \"delayMilliseconds\": 300 }."
      )
    }
    guard found.count == 1 else {
      throw FormatError(
        source: object.source,
        place: object.path,
        problem: "\(found.count) faults stand in one object",
        remedy: "Give each an object of its own; they are composed in order."
      )
    }
    self = fault
  }

  private static func spread(
    _ delay: Double,
    jitter: Double?,
    through: Double?,
    _ object: ObjectReader
  ) throws(FormatError) -> Spread {
    let length = Duration(milliseconds: delay)
    switch (jitter, through) {
    case (nil, nil): return .exactly(length)
    case (let jitter?, nil): return .around(length, jitter: Duration(milliseconds: jitter))
    case (nil, let through?):
      guard through >= delay else {
        throw object.error("throughMilliseconds", "\(through) is less than the delay of \(delay)")
      }
      return Spread(length, through: Duration(milliseconds: through))
    case (_?, _?):
      throw object.error("jitterMilliseconds", "a delay has a jitter or a range, not both")
    }
  }

  /// The object in a scenario's file, which is also what the story's hash is made of.
  package var json: JSON {
    switch self {
    case .delay(let spread):
      let least = JSON.number(spread.least.inMilliseconds, places: 3)
      if spread.least == spread.most { return ["delayMilliseconds": least] }
      let most = JSON.number(spread.most.inMilliseconds, places: 3)
      return ["delayMilliseconds": least, "throughMilliseconds": most]
    case .status(let status, let retryAfter):
      return .object([JSON.Member("status", .number(status))] + (retryAfter?.members ?? []))
    case .reset(nil): return Cut(.reset, at: .afterRequest).json
    case .reset(let offset?): return Cut(.reset, at: .body(offset)).json
    case .close: return Cut(.close, at: .afterRequest).json
    case .stall(nil): return Cut(.stall(nil), at: .afterRequest).json
    case .stall(let offset?): return Cut(.stall(nil), at: .body(offset)).json
    case .truncate(let offset): return Cut(.close, at: .body(offset)).json
    case .cut(let cut): return cut.json
    case .connection(.offline): return ["connect": .text(Attempt.offline.rawValue)]
    case .connection(.refused): return ["connect": .text(Attempt.refused.rawValue)]
    case .connection(.connectTimeout): return ["connect": .text(Attempt.timeout.rawValue)]
    case .connection(.lostSYNs(let count)): return ["lostSYNs": .number(count)]
    case .connection(.hostNotFound): return ["dns": .text(Lookup.hostNotFound.rawValue)]
    case .connection(.tls(let fault)): return ["tls": .text(fault.rawValue)]
    case .mutate(let mutation): return mutation.json
    case .dribble(let count, let interval):
      return [
        "dribbleBytes": .number(count),
        "everyMilliseconds": .number(interval.inMilliseconds, places: 3),
      ]
    case .malformed(let malformation): return ["malformed": .text(malformation.rawValue)]
    case .answer(let substitute): return ["answer": .text(substitute.rawValue)]
    case .alter(let alteration): return alteration.json
    case .idle(let end): return end.json
    }
  }
}

private enum Attempt: String, CaseIterable {
  case offline, refused, timeout

  var fault: ConnectionFault {
    switch self {
    case .offline: .offline
    case .refused: .refused
    case .timeout: .connectTimeout
    }
  }
}

private enum Lookup: String, CaseIterable { case hostNotFound }
