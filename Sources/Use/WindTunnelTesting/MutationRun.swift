internal import Foundation
internal import Testing
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// A test that runs twice unchanged, once per mutant of the recordings that it used, and once more
/// unchanged. If the second run differs because its waits are shorter, a third one takes its place.
///
/// The suite receives only the first of these runs.
struct MutationRun: Sendable {
  typealias Part = @Sendable @concurrent () async throws -> Void

  private let test: Test
  /// The identifier in the log. Each case of a parameterised test has its own.
  private let id: String
  /// The arguments of a parameterised test, in parentheses.
  private let arguments: String
  private let testCase: Test.Case?
  private let place: CassettePlace
  private let deck: Deck
  private let journal: MutationJournal

  /// Creates the runs of a test; `nil` if there is no log, if the test records, or if its cases
  /// have no identifiers.
  init?(_ test: Test, _ testCase: Test.Case?, _ place: CassettePlace, _ deck: Deck) throws {
    guard let journal = try MutationJournal.current?.get(), !journal.plan.isOfParts,
      !deck.records, place.mode != .verify, let arguments = Self.arguments(of: testCase, in: test)
    else { return nil }
    (self.test, self.testCase, self.place) = (test, testCase, place)
    (self.deck, self.journal) = (deck, journal)
    (self.arguments, id) = (arguments, "\(test.id)\(arguments)")
  }

  /// Returns the arguments of a case; `nil` if they cannot be read, or differ from run to run.
  private static func arguments(of testCase: Test.Case?, in test: Test) -> String? {
    guard test.isParameterized, let testCase else { return "" }
    // Swift Testing does not publish the arguments.
    let all = Mirror(reflecting: testCase).descendant("_kind", "parameterized", "arguments")
    let values = Mirror(reflecting: all ?? []).children.map {
      Mirror(reflecting: $0.value).descendant("value")
    }
    guard !values.isEmpty, !values.contains(where: { $0 == nil }) else { return nil }
    return text(of: values.compactMap(\.self))
  }

  /// Returns the texts of arguments in parentheses; `nil` if one contains an address or is only a
  /// type.
  static func text(of arguments: [Any]) -> String? {
    let texts = arguments.map { String(describingForTest: $0) }
    let isUnclear = zip(arguments, texts).contains { argument, text in
      text == String(reflecting: type(of: argument))
        || text.contains(/0x[0-9A-Fa-f]{6,}|\(Function\)/)
    }
    if isUnclear { return nil }
    return
      "(\(beginning(of: texts.joined(separator: ", ")).prefix(MutationEvent.messageCharactersMax)))"
  }

  /// Returns the beginning of a text without secrets, because redacting a long text is slow.
  static func beginning(of text: String) -> String {
    String(text.prefix(4 * MutationEvent.messageCharactersMax)).withoutSecrets
  }

  /// Runs the test and its mutants.
  ///
  /// - Parameters:
  ///   - part: The test with its cassette.
  ///   - first: Runs the test for the suite, which receives its issues.
  /// - Throws: The error of the first run, and `FileError` if the log cannot be written.
  func run(_ part: Part, first: Part) async throws {
    let plain = await attempt(first, passing: true)
    if plain.failure == nil { try await mutate(part, plain) } else { try note(plain, .red) }
    try plain.thrown.map { throw $0 }
  }

  private func mutate(_ part: Part, _ first: Attempt) async throws {
    var (first, second) = (first, first)
    if let decisions = first.decisions {
      second = await attempt(part, waits: Self.divisor)
      if second.failure == nil, second.decisions == decisions { first.divisor = Self.divisor }
    }
    if first.divisor == 1 { second = await attempt(part) }
    let isSame = first.recordings == second.recordings
    try note(
      first.duration > second.duration ? first : second,
      second.failure != nil ? .red : isSame ? .green : .unsteady
    )
    guard second.failure == nil, isSame, !Task.isCancelled else { return }
    let mutants = journal.mutants(of: deck.interactions, from: place.file)
    let all = Set(first.recordings).sorted().flatMap { mutants[$0] }
    let byOperator = Dictionary(grouping: all, by: \.operator)
    let due = MutationOperator.all.flatMap { byOperator[$0] ?? [] }
      .filter { journal.isDue($0.run(of: id)) }
    for mutant in due where !journal.isOver && !Task.isCancelled {
      let run = mutant.run(of: id)
      try journal.append(.begin(run))
      let result = await result(of: mutant, part, first)
      // A cancelled test has no result.
      if !Task.isCancelled { try journal.append(.end(run, result)) }
    }
    guard !due.isEmpty, !Task.isCancelled else { return }
    let isGreen = await attempt(part, waits: first.divisor).failure == nil
    try journal.append(.after(test: id, isGreen: isGreen))
  }

  private func note(_ plain: Attempt, _ result: MutatedTest.Plain) throws {
    let function = test.id.nameComponents.joined(separator: ".")
    let name = function.prefix { $0 != "(" } + arguments
    let (place, cassette) = (test.sourceLocation, place.file.path)
    var test = MutatedTest()
    (test.id, test.name, test.cassette) = (id, String(name), cassette)
    (test.file, test.line) = (place.filePath, place.line)
    (test.plain, test.duration) = (result, plain.duration)
    test.recordings = Set(plain.recordings).sorted()
    try journal.append(.test(test))
  }

  private func result(of mutant: Mutant, _ part: Part, _ plain: Attempt) async -> MutantResult {
    if mutant.operator.name == "stall",
      test.traits.contains(where: { $0 is OnTheWireTrait })
        || deck.interactions.contains(where: \.isConversation)
    {
      return .noRoom(reason: "on the wire a stall lasts until the client's timeout")
    }
    // The test's own faults withhold the recording.
    if !plain.takes.contains(.recording(mutant.recording - 1)) { return .notReached }
    // A late response must be late.
    let divisor = mutant.operator.name == "slow" ? 1 : plain.divisor
    let attempt = await attempt(part, with: [mutant], waits: divisor)
    return deck.use(of: mutant).result(
      failure: attempt.failure.map { .killed(by: $0.killer, message: $0.message) },
      plainAsked: plain.recordings.count { $0 == mutant.recording }
    )
  }

  // MARK: - One run

  /// The number by which waits are divided, if the test sends the same requests nevertheless.
  private static let divisor = 20

  /// One run of the test.
  private struct Attempt {
    /// The first failure of the test.
    var failure: (killer: MutantResult.Killer, message: String)?
    var thrown: (any Error)?
    var takes: [Journal.Take] = []
    /// The numbers of the recordings that the test requested, in ascending order.
    var recordings: [Int] { takes.compactMap(\.interaction).sorted() }
    /// The faults of all requests; `nil` if there were no waits, or shorter ones may change them.
    var decisions: Set<FaultDecision>?
    /// The number by which the waits of later runs are divided.
    var divisor = 1
    var duration = Duration.zero
  }

  /// Runs the test with mutants, and with waits divided by a number. Its issues are counted, and
  /// dropped unless `passing` is set.
  private func attempt(
    _ part: Part,
    with mutants: [Mutant] = [],
    waits divisor: Int = 1,
    passing: Bool = false
  ) async -> Attempt {
    deck.reset()
    deck.mutants = mutants
    defer { deck.mutants = [] }
    let first = Locked<Issue?>(nil)
    let trait: IssueHandlingTrait = .compactMapIssues { issue in
      if issue.isFailure { first.withLock { $0 = $0 ?? issue } }
      return passing ? issue : nil
    }
    var attempt = Attempt()
    let start = ContinuousClock.now
    let waits = Locked(TaskWaits(dividedBy: divisor))
    do {
      try await Tunnel.$waits.withValue(waits) {
        try await trait.provideScope(for: test, testCase: testCase, performing: part)
      }
    } catch {
      attempt.thrown = error
    }
    attempt.duration = .now - start
    attempt.takes = deck.journal.all.map(\.take)
    if waits.withLock(\.canBeShorter) { attempt.decisions = Set(deck.journal.all.map(\.decision)) }
    if let issue = first.withLock(\.self) {
      attempt.failure = (
        issue.error == nil ? .assertion : .error, Self.beginning(of: "\(issue)")
      )
    } else if let error = attempt.thrown {
      attempt.failure = (.error, Self.beginning(of: "\(error)"))
    }
    return attempt
  }
}
