package import Foundation

/// The task that a log contains, and the runs that have already begun or ended.
///
/// A test process reads it once and appends its own lines. With a plan for all runs, it skips every
/// run that has begun. With a plan for one run, it does that run once.
package struct MutationLog: Sendable {
  /// The plan that was added last.
  package private(set) var plan = MutationPlan()
  /// The tests by their last lines, in order.
  package private(set) var tests: [MutatedTest] = []
  /// The results of the runs that have ended, by their last lines.
  package private(set) var results: [MutantRun: MutantResult] = [:]
  /// Whether a test passed after its mutants, by its identifier.
  package private(set) var after: [String: Bool] = [:]
  private var places: [String: Int] = [:]
  private var begun: [MutantRun] = []
  /// The runs that were begun since the last plan with a run.
  private var done: Set<MutantRun> = []

  /// The maximum size of a log, in bytes.
  package static let bytesMax = 1 << 30

  package init(_ events: some Sequence<MutationEvent>) { for event in events { add(event) } }

  /// Parses the lines of a log. Skips a line that a crash has cut, or that is too long.
  package static func events(in log: some Sequence<UInt8>) throws(FormatError) -> [MutationEvent] {
    var events: [MutationEvent] = []
    for line in Array(log).split(separator: UInt8(ascii: "\n"))
    where line.count <= MutationEvent.lineBytesMax && JSONParser.accepts(Bytes(line)) {
      events.append(try MutationEvent(line: line))
    }
    return events
  }

  /// Appends lines in one write, so that several processes can append at the same time.
  package static func append(_ lines: [String], to file: URL) throws(FileError) {
    let descriptor = open(file.path, O_RDWR | O_APPEND | O_CLOEXEC)
    defer { close(descriptor) }
    // A crash may have cut the last line before its line break.
    var last = UInt8(ascii: "\n")
    pread(descriptor, &last, 1, lseek(descriptor, 0, SEEK_END) - 1)
    let text = lines.map { "\($0)\n" }.joined()
    let bytes = Array((last == UInt8(ascii: "\n") ? text : "\n\(text)").utf8)
    if write(descriptor, bytes, bytes.count) != bytes.count { throw .refused(file, errno) }
  }

  /// Returns whether a run must be done.
  package func isDue(_ run: MutantRun) -> Bool {
    if results[run] != nil || done.contains(run) { return false }
    return plan.run.map { $0 == run } ?? true
  }

  /// Returns whether the log has a line for a test.
  package func has(_ test: MutatedTest) -> Bool { places[test.id] != nil }

  /// The runs that have begun and not ended, in order.
  package var unended: [MutantRun] {
    var seen: Set<MutantRun> = []
    return begun.filter { results[$0] == nil && seen.insert($0).inserted }
  }

  /// Adds a line of the log.
  package mutating func add(_ event: MutationEvent) {
    switch event {
    case .plan(let plan):
      self.plan = plan
      if plan.run != nil { done = [] }
    case .test(var test):
      test.name = test.name.withoutSecrets
      if let place = places[test.id] { return tests[place] = test }
      places[test.id] = tests.count
      tests.append(test)
    case .begin(let run):
      begun.append(run)
      done.insert(run)
    case .end(let run, let result): results[run] = result
    case .after(let test, let isGreen): after[test] = isGreen
    }
  }
}

extension Sequence<MutationEvent> {
  /// The tests by their last lines, in order.
  package var tests: [MutatedTest] { MutationLog(self).tests }
  /// The results of the runs that have ended.
  package var results: [MutantRun: MutantResult] { MutationLog(self).results }
  /// The runs that have begun and not ended, in order.
  package var open: [MutantRun] { MutationLog(self).unended }
}
