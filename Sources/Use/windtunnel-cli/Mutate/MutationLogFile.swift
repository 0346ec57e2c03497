/// The log of a mutated run, to which this process and the tests append lines.
struct MutationLogFile {
  let file: URL

  /// Refers to an existing log.
  init(at file: URL) { self.file = file }

  /// Begins a log, or resumes an existing file.
  ///
  /// A result is kept if the seed is the same, and if the test's file and the cassette are older
  /// than the log. If the test's file is unknown, the command must be the same.
  init(resuming file: URL, _ order: MutateOrder) throws {
    self.file = file
    let now = Date().timeIntervalSince1970
    let command = SHA256.hexadecimal(Data(order.words.joined(separator: "\0").utf8))
    var lines: [MutationEvent] = []
    if FileManager.default.fileExists(atPath: file.path) {
      let data = try FileError.reading(file, bytesMax: MutationLog.bytesMax)
      let events = try MutationLog.events(in: data)
      guard case .plan(let earlier)? = events.first else {
        throw FormatError(source: file.relativePath, place: "line 1", problem: "not a mutation log")
      }
      let head = try JSON(parsing: data.prefix { $0 != UInt8(ascii: "\n") }, source: "")
      let start = head["startedAt"]?.doubleValue ?? 0
      let isSame = head["command"]?.stringValue == command
      let kept = events.tests.filter { test in
        earlier.seed == order.plan.seed && test.plain == .green
          && (order.cassette.map { $0.relativePath == test.cassette } ?? true)
          && (isSame || !test.file.isEmpty)
          && [test.file, test.cassette].allSatisfy { $0.isEmpty || Self.isOlder($0, than: start) }
      }
      let ids = Set(kept.map(\.id))
      let results = events.results.filter { ids.contains($0.key.test) }
      lines = kept.map { .test($0) } + results.map { .end($0, $1.withoutSecrets) }
    }
    var plan = try JSON(parsing: MutationEvent.plan(order.plan).line.utf8, source: "")
    // Readers of events ignore these members.
    plan["startedAt"] = .exactly(now)
    plan["command"] = .text(command)
    let text = (["\(plan)"] + lines.map(\.line)).joined(separator: "\n")
    try FileError.writing(Data("\(text)\n".utf8), to: file)
  }

  /// Returns whether a file exists and was last written before a time.
  private static func isOlder(_ path: String, than time: Double) -> Bool {
    FileMark(of: URL(typed: path))?.date.map { $0.timeIntervalSince1970 < time } ?? false
  }

  func load() throws -> [MutationEvent] {
    try MutationLog.events(in: FileError.reading(file, bytesMax: MutationLog.bytesMax))
  }

  /// The size of the file, which grows with each line.
  var bytes: Int { (try? FileError.size(of: file, bytesMax: MutationLog.bytesMax)) ?? 0 }

  func append(_ events: [MutationEvent]) throws {
    try MutationLog.append(events.map(\.line), to: file)
  }

  /// Appends the result of runs whose process ended during them, or after them outside every run.
  func accuse(_ runs: some Sequence<MutantRun>, _ end: ClientCommand.Exit) throws {
    try append(runs.map { .end($0, end == .hung ? .hung : .crashed) })
  }
}

extension Sequence<MutationEvent> {
  /// The last run of each test that has not run without a mutant since, in the order of their ends.
  var unfinished: [MutantRun] {
    var last: [String: (place: Int, run: MutantRun)] = [:]
    for (place, event) in enumerated() {
      switch event {
      case .end(let run, let result):
        last[run.test] = [.crashed, .hung].contains(result) ? nil : (place, run)
      case .after(let test, _): last[test] = nil
      case .plan, .test, .begin: break
      }
    }
    return last.values.sorted { $0.place < $1.place }.map(\.run)
  }
}
