/// A key of a plan file and its flag of `windtunnel drill`.
struct PlanKey: Sendable {
  /// The value of a key in JSON.
  enum Value: Sendable {
    case text
    case number
    /// A flag without a value.
    case bool
    /// A flag that may be repeated.
    case texts
  }

  let name: String
  let flag: String
  let value: Value

  private init(_ name: String, _ flag: String, _ value: Value) {
    (self.name, self.flag, self.value) = (name, flag, value)
  }

  /// The key of the client's command.
  static let client = "client"

  /// The other keys, in the order of a plan file.
  private static let table = [
    PlanKey("name", "--name", .text),
    PlanKey("cassette", "--cassette", .text),
    PlanKey("critical", "--critical", .texts),
    PlanKey("bars", "--bars", .text),
    PlanKey("scenarios", "--scenario", .texts),
    PlanKey("seed", "--seed", .number),
    PlanKey("gates", "--gate", .texts),
    PlanKey("findings", "--findings", .text),
    PlanKey("allow", "--allow", .texts),
    PlanKey("allowInconclusive", "--allow-inconclusive", .bool),
    PlanKey("baseline", "--baseline", .text),
    PlanKey("calls", "--calls", .number),
    PlanKey("duration", "--duration", .text),
    PlanKey("rate", "--rate", .number),
    PlanKey("concurrency", "--concurrency", .number),
    PlanKey("mix", "--mix", .texts),
    PlanKey("ignoreQuery", "--ignore-query", .texts),
    PlanKey("timeout", "--timeout", .text),
    PlanKey("stage", "--stage", .text),
    PlanKey("http", "--http", .number),
    PlanKey("clock", "--clock", .text),
    PlanKey("workers", "--workers", .number),
    PlanKey("errors", "--errors", .text),
    PlanKey("reports", "--report", .texts),
  ]

  /// Returns the keys whose flags a command supports.
  static func known(to flags: [Flag]) -> [PlanKey] {
    table.filter { key in flags.contains { $0.name == key.flag } }
  }

  /// The flags whose values are files.
  static let fileFlags = ["--plan", "--cassette", "--baseline", "--write-baseline", "--report"]
  /// The flags whose values are names, or files whose path has a slash or ends in `.json`.
  static let nameFlags = ["--bars", "--scenario"]

  /// Groups of flags of which only one can be given; `--` is the client's command.
  private static let exclusive: [Set<String>] = [
    ["--calls", "--duration"], ["--rate", "--concurrency"], ["--subject", "--"],
    ["--baseline", "--write-baseline"],
  ]

  /// Flags whose values on the command line are added to the plan's values.
  static let added: Set = ["--gate"]

  /// Returns whether a command line has a flag, or another one of its group.
  static func isGiven(_ flag: String, in arguments: Arguments) -> Bool {
    let group = exclusive.first { $0.contains(flag) } ?? [flag]
    return !added.contains(flag)
      && group.contains { $0 == "--" ? !arguments.command.isEmpty : arguments.has($0) }
  }

  /// Reads the key, and returns its words on a command line.
  func words(in top: inout ObjectReader) throws(FormatError) -> [String] {
    switch value {
    case .text: return try top.string(name).map { ["\(flag)=\($0)"] } ?? []
    case .bool: return try top.bool(name) == true ? [flag] : []
    case .texts: return try top.values(name, "string") { $0.stringValue }.map { "\(flag)=\($0)" }
    case .number:
      guard let json = top.take(name) else { return [] }
      guard case .number(let digits) = json else {
        throw top.error(name, "should be a number")
      }
      return ["\(flag)=\(digits)"]
    }
  }
}
