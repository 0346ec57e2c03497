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
    let retryAfter = try object.int("retryAfterSeconds", in: 0...1_000_000_000)
    if let status = try object.int("status", in: Self.statuses) {
      found.append(.status(status, retryAfter: retryAfter.map { .seconds($0) }))
    } else if retryAfter != nil {
      throw object.error("retryAfterSeconds", "a Retry-After needs a status to stand with")
    }
    if try object.point("reset") { found.append(.reset()) }
    if try object.point("close") { found.append(.close) }
    if try object.point("stall") { found.append(.stall()) }
    if let offset = try object.int("resetAfterBodyBytes", in: Self.bytes) {
      found.append(.reset(afterBodyBytes: offset))
    }
    if let offset = try object.int("stallAfterBodyBytes", in: Self.bytes) {
      found.append(.stall(afterBodyBytes: offset))
    }
    if let offset = try object.int("truncateAfterBodyBytes", in: Self.bytes) {
      found.append(.truncate(afterBodyBytes: offset))
    }
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
  var json: JSON {
    switch self {
    case .delay(let spread):
      let least = JSON.number(spread.least.inMilliseconds, places: 3)
      if spread.least == spread.most { return ["delayMilliseconds": least] }
      let most = JSON.number(spread.most.inMilliseconds, places: 3)
      return ["delayMilliseconds": least, "throughMilliseconds": most]
    case .status(let status, nil): return ["status": .number(status)]
    case .status(let status, let retryAfter?):
      return [
        "status": .number(status), "retryAfterSeconds": .number(retryAfter.wholeSeconds),
      ]
    case .reset(nil): return ["reset": .text(Point.afterRequest.rawValue)]
    case .reset(let offset?): return ["resetAfterBodyBytes": .number(offset)]
    case .close: return ["close": .text(Point.afterRequest.rawValue)]
    case .stall(nil): return ["stall": .text(Point.afterRequest.rawValue)]
    case .stall(let offset?): return ["stallAfterBodyBytes": .number(offset)]
    case .truncate(let offset): return ["truncateAfterBodyBytes": .number(offset)]
    case .connection(.offline): return ["connect": .text(Attempt.offline.rawValue)]
    case .connection(.refused): return ["connect": .text(Attempt.refused.rawValue)]
    case .connection(.connectTimeout): return ["connect": .text(Attempt.timeout.rawValue)]
    case .connection(.lostSYNs(let count)): return ["lostSYNs": .number(count)]
    case .connection(.hostNotFound): return ["dns": .text(Lookup.hostNotFound.rawValue)]
    case .connection(.tls(let fault)): return ["tls": .text(fault.rawValue)]
    case .mutate(let mutation): return mutation.json
    }
  }
}

/// Where in an exchange something happens.
private enum Point: String, CaseIterable { case afterRequest }

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

extension ObjectReader {
  fileprivate mutating func point(_ name: String) throws(FormatError) -> Bool {
    try choice(name, Point.self) != nil
  }
}
