extension MutationEvent {
  /// The maximum length of a line, in bytes.
  package static let lineBytesMax = 64 << 10
  /// The maximum length of a message, in characters.
  package static let messageCharactersMax = 300
  private static let source = "the log of mutants"

  /// Parses a line. Unknown members are ignored.
  package init(line: some Sequence<UInt8>) throws(FormatError) {
    let bytes = Array(line)
    guard bytes.count <= Self.lineBytesMax else {
      let problem = "a line has \(bytes.count) bytes; the maximum is \(Self.lineBytesMax)"
      throw FormatError(source: Self.source, place: "", problem: problem)
    }
    let json = try JSON(parsing: bytes, source: Self.source)
    var object = try ObjectReader(json, source: Self.source, path: "")
    switch try object.string("event") {
    case "plan": self = .plan(try MutationPlan(readingFrom: object))
    case "test": self = .test(try MutatedTest(readingFrom: object))
    case "begin": self = .begin(try MutantRun(readingFrom: object))
    case "end":
      self = .end(try MutantRun(readingFrom: object), try MutantResult(readingFrom: object))
    case "after":
      guard let test = try object.string("test") else { throw object.error("test", "is missing") }
      self = .after(test: test, isGreen: try object.string("plain") == "green")
    case let event: throw object.error("event", "\"\(event ?? "")\" is not an event")
    }
  }

  /// The line, without its line break.
  package var line: String {
    let (event, members): (String, [JSON.Member]) =
      switch self {
      case .plan(let plan): ("plan", plan.members)
      case .test(let test): ("test", test.members)
      case .begin(let run): ("begin", run.members)
      case .end(let run, let result): ("end", run.members + result.members)
      case .after(let test, let isGreen):
        ("after", JSON.members(["test": .text(test), "plain": isGreen ? "green" : "red"]))
      }
    return "\(JSON.object([JSON.Member("event", .text(event))] + members))"
  }
}

extension MutationPlan: JSONObject {
  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    var version = 1
    try fields.int("version", &version, in: 1...1, ("version", "is missing"))
    if fields.isReading { seed = fields.object.take("seed").flatMap { UInt64("\($0)") } ?? 1 }
    fields.write("seed", .number(seed))
    var seconds = budget.map { $0.inMilliseconds / 1000 }
    try fields.double("budgetSeconds", &seconds, in: 0...1e9, places: 3)
    budget = seconds.map { .seconds($0) }
    try fields.texts("only", &only) { json, place, object throws(FormatError) in
      guard let text = json.stringValue else { throw object.error(place, "is not a pattern") }
      return RequestPattern(text)
    }
    var names = operators ?? []
    try fields.names("operators", &names)
    operators = names.isEmpty ? nil : names
    try fields.nested("run", &run)
    try fields.flag("parts", &isOfParts)
  }
}

extension MutatedTest: JSONObject {
  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.string("test", &id, ("test", "is missing"))
    try fields.string("name", &name, ("name", "is missing"))
    try fields.string("file", &file, ("file", "is missing"))
    try fields.int("line", &line, in: 0...Int.max, ("line", "is missing"))
    try fields.string("cassette", &cassette, ("cassette", "is missing"))
    var plain: Plain? = plain
    try fields.choice("plain", &plain)
    self.plain = try fields.required(plain, ("plain", "is missing"))
    try fields.time("milliseconds", &duration, ("milliseconds", "is missing"))
    try fields.numbers("recordings", &recordings, "number")
    try fields.flag("part", &isPart)
    try fields.flag("suite", &isSuite)
  }
}

extension MutantRun: JSONObject {
  package static let blank = Self(test: "", recording: 0, mutant: "")

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.string("test", &test, ("test", "is missing"))
    try fields.int("recording", &recording, in: 0...Int.max, ("recording", "is missing"))
    try fields.string("mutant", &mutant, ("mutant", "is missing"))
    try fields.string("at", &path)
  }
}

extension MutantResult: JSONObject {
  package static let blank = Self.notReached

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    var (name, killer, words): (String, Killer?, String) = ("\(self)", nil, "")
    var (asked, plainAsked) = (0, 0)
    switch self {
    case .killed(let by, let message):
      (name, killer) = ("killed", by)
      words = String(message.prefix(MutationEvent.messageCharactersMax))
    case .survived(let more, let less): (name, asked, plainAsked) = ("survived", more, less)
    case .noRoom(let reason): (name, words) = ("noRoom", reason)
    case .notReached, .crashed, .hung: break
    }
    try fields.string("result", &name, ("result", "is missing"))
    switch name {
    case "killed":
      try fields.choice("by", &killer)
      try fields.string("message", &words, ("message", "is missing"))
      self = .killed(by: try fields.required(killer, ("by", "is missing")), message: words)
    case "survived":
      try fields.int("asked", &asked, in: 0...Int.max, ("asked", "is missing"))
      try fields.int("plainAsked", &plainAsked, in: 0...Int.max, ("plainAsked", "is missing"))
      self = .survived(asked: asked, plainAsked: plainAsked)
    case "noRoom":
      try fields.string("reason", &words, ("reason", "is missing"))
      self = .noRoom(reason: words)
    case "notReached": self = .notReached
    case "crashed": self = .crashed
    case "hung": self = .hung
    default: try fields.refuse(true, "result", "\"\(name)\" is not a result")
    }
  }
}
