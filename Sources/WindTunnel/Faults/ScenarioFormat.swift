// The scenario's text, version 1.
//
//   { "windtunnelScenario": 1,
//     "name": "metro",
//     "link": { "downDelayMilliseconds": 50, "upDelayMilliseconds": 50, "lossProbability": 0.05 },
//     "rules": [ { "when": { "request": "GET /users/*", "first": 2 },
//                  "faults": [ { "delayMilliseconds": 300 },
//                              { "status": 503, "retryAfterSeconds": 1 } ] } ],
//     "critical": ["GET /home", "POST /payments"] }
//
// "when" may hold "request", "first", "attempt", "every" and "probability"; all must hold. A fault
// is one of
//   { "delayMilliseconds": 300 }                                 fixed
//   { "delayMilliseconds": 300, "jitterMilliseconds": 50 }       even between 250 and 350
//   { "delayMilliseconds": 100, "throughMilliseconds": 900 }     even between 100 and 900
//   { "status": 429, "retryAfterSeconds": 1 }
//   { "reset": "afterRequest" }      { "resetAfterBodyBytes": 10 }
//   { "close": "afterRequest" }      { "truncateAfterBodyBytes": 10 }
//   { "stall": "afterRequest" }      { "stallAfterBodyBytes": 10 }
//   { "connect": "offline" | "refused" }   { "dns": "hostNotFound" }   { "tls": NAME }
// In a link, "delayMilliseconds", "bitsPerSecond", "queueBytes" and "lossProbability" are meant for
// both directions, and with "up" or "down" in front for one.

public import Foundation

extension Scenario {
  /// The scenario's file is larger than this: it is refused before it is read.
  public static let fileBytesMax = 4 << 20

  /// Reads a scenario file, version 1.
  public init(contentsOf file: URL) throws {
    let data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    try self.init(data: data, source: file.lastPathComponent)
  }

  /// Reads a scenario from bytes.
  public init(data: Data, source: String) throws(FormatError) {
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    try CassetteFormat.checkVersion(&top, key: "windtunnelScenario", noun: "scenario")
    guard let name = try top.string("name"), !name.isEmpty else {
      throw top.error("name", "a scenario needs a name")
    }
    self.init(name)
    summary = try top.string("summary")
    if let object = try top.object("link") { link = try Link(reading: object) }
    let place = top.place("rules")
    for (index, json) in (try top.array("rules") ?? []).enumerated() {
      rules.append(
        try Rule(reading: ObjectReader(json, source: source, path: "\(place)[\(index)]"))
      )
    }
    for pattern in try top.array("critical") ?? [] {
      guard let text = pattern.stringValue else {
        throw top.error("critical", "\(pattern) is no request pattern such as \"GET /home\"")
      }
      critical.append(RequestPattern(text))
    }
    try top.refuseUnknownKeys()
    notes = top.notes
  }

  /// The scenario's text.
  public func data() -> Data {
    var members: [JSON.Member] = [
      JSON.Member("windtunnelScenario", .number(CassetteFormat.version)),
      JSON.Member("name", .text(name)),
    ]
    if let summary { members.append(JSON.Member("summary", .text(summary))) }
    members += notes
    if let link { members.append(JSON.Member("link", link.json)) }
    members.append(JSON.Member("rules", .array(rules.map(\.json))))
    if !critical.isEmpty {
      members.append(JSON.Member("critical", .array(critical.map { .text($0.description) })))
    }
    return Data(JSON.object(members).fileBytes())
  }
}

extension Link {
  fileprivate init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    let both = try Self.direction("", &object, Direction())
    up = try Self.direction("up", &object, both)
    down = try Self.direction("down", &object, both)
    try object.refuseUnknownKeys()
  }

  private static func direction(
    _ prefix: String,
    _ object: inout ObjectReader,
    _ common: Direction
  ) throws(FormatError) -> Direction {
    func key(_ name: String) -> String {
      prefix.isEmpty ? name : prefix + name.prefix(1).uppercased() + name.dropFirst()
    }
    let delay = try object.double(key("delayMilliseconds"), in: 0...3_600_000)
    let rate = try object.double(key("bitsPerSecond"), in: 1...1e15)
    let queue = try object.int(key("queueBytes"), in: 1...(1 << 40))
    let loss = try object.double(key("lossProbability"), in: 0...1)
    return Direction(
      delay: delay.map { Duration(milliseconds: $0) } ?? common.delay,
      bitsPerSecond: rate ?? common.bitsPerSecond,
      queueBytes: queue ?? common.queueBytes,
      lossProbability: loss ?? common.lossProbability
    )
  }

  var json: JSON {
    func members(_ direction: Direction, _ prefix: String) -> [JSON.Member] {
      var members = [
        JSON.Member(
          JSON.Text("\(prefix)DelayMilliseconds"),
          .number(direction.delay.inMilliseconds, places: 3)
        )
      ]
      if let rate = direction.bitsPerSecond {
        members.append(
          JSON.Member(JSON.Text("\(prefix)BitsPerSecond"), .number(rate, places: 3))
        )
      }
      if let queue = direction.queueBytes {
        members.append(JSON.Member(JSON.Text("\(prefix)QueueBytes"), .number(queue)))
      }
      if direction.lossProbability > 0 {
        members.append(
          JSON.Member(
            JSON.Text("\(prefix)LossProbability"),
            .number(direction.lossProbability, places: 9)
          )
        )
      }
      return members
    }
    return .object(members(up, "up") + members(down, "down"))
  }
}

extension Rule {
  fileprivate init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    let trigger = try object.object("when").map { object throws(FormatError) in
      try Trigger(reading: object)
    }
    let place = object.place("faults")
    let source = object.source
    guard let faults = try object.array("faults"), !faults.isEmpty else {
      throw object.error("faults", "a list of at least one fault should stand here")
    }
    try object.refuseUnknownKeys()
    self.init(when: trigger ?? .always, [])
    for (index, json) in faults.enumerated() {
      self.faults.append(
        try Fault(reading: ObjectReader(json, source: source, path: "\(place)[\(index)]"))
      )
    }
  }

  var json: JSON {
    let faults = JSON.Member("faults", .array(faults.map(\.json)))
    if trigger == .always { return .object([faults]) }
    return .object([JSON.Member("when", trigger.json), faults])
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
      members.append(JSON.Member("probability", .number(probability, places: 9)))
    }
    return .object(members)
  }
}
