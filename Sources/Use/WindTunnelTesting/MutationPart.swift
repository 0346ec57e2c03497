internal import Foundation
internal import Testing
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// A part of a test that runs once in each process, with the mutants that the log begins for it.
struct MutationPart: Sendable {
  private let deck: Deck
  private let journal: MutationJournal
  private let test: MutatedTest
  private let mutants: [Mutant]

  /// The number of calls so far in this process, by their places, tests and cassettes.
  private static let calls = Locked<[String: Int]>([:])

  /// Creates the part of a call; `nil` if its suite does not run with mutants.
  ///
  /// - Parameters:
  ///   - deck: The deck that provides the responses.
  ///   - cassette: Its file; `nil` to write one.
  ///   - file: The test's file.
  ///   - line: The line of the call.
  ///   - function: The function of the call.
  /// - Throws: An error if the log cannot be read, or the file cannot be written.
  init?(_ deck: Deck, _ cassette: URL?, at file: String, _ line: Int, _ function: String) throws {
    // A test of Swift Testing has the trait.
    guard Test.current == nil, !deck.records, let journal = try MutationJournal.current?.get(),
      let folder = ProcessInfo.processInfo.environment["WINDTUNNEL_MUTATE_DECKS"]
    else { return nil }
    (self.deck, self.journal) = (deck, journal)
    let interactions = deck.interactions
    let cassette = try cassette ?? Self.write(Cassette(interactions).data(), "deck", in: folder)
    let place = "\(file):\(line) \(function) \(cassette.path)"
    let program = [FileManager.default.currentDirectoryPath] + CommandLine.arguments
    _ = try Self.write(Data(JSON.texts(program).bytes()), "program", in: folder)
    let number = Self.calls.withLock { calls in
      calls[place, default: 0] += 1
      return calls[place] ?? 1
    }
    let suite = URL(filePath: file).deletingPathExtension().lastPathComponent
    var test = MutatedTest()
    (test.id, test.name, test.isPart) = ("\(place) \(number)", "\(suite).\(function)", true)
    (test.file, test.line, test.cassette) = (file, line, cassette.path)
    self.test = test
    let all = journal.mutants(of: interactions, from: cassette)
    // Some parts are played on the wire.
    mutants = journal.begun(of: test.id).compactMap { [id = test.id] run in
      all[run.recording].first { $0.run(of: id) == run }?.onWire
    }
  }

  /// Writes a file for the command: the cassette of a deck, or the words that start this process
  /// after its folder.
  private static func write(_ data: Data, _ kind: String, in folder: String) throws -> URL {
    let name = "\(kind)-\(SHA256.hexadecimal(data).prefix(16)).json"
    let file = URL(filePath: folder).appending(path: name)
    try FileError.writing(data, to: file)
    return file
  }

  /// Whether the part plays a mutant, after which the cassette's own expectations do not count.
  var isMutated: Bool { !mutants.isEmpty }

  /// Plays the part, and logs its requests, or the results of its mutants.
  func run(_ body: @Sendable () async throws -> Void) async throws {
    let (first, start) = (deck.journal.all.count, ContinuousClock.now)
    deck.mutants = mutants
    defer { deck.mutants = [] }
    var thrown: (any Error)?
    do { try await body() } catch { thrown = error }
    let failure = thrown.map {
      MutantResult.killed(by: .error, message: MutationRun.beginning(of: "\($0)"))
    }
    for mutant in mutants {
      let use = deck.use(of: mutant, after: first)
      let end = use.result(failure: failure, plainAsked: use.asked)
      try journal.append(.end(mutant.run(of: test.id), end))
    }
    if mutants.isEmpty {
      var test = test
      (test.plain, test.duration) = (failure == nil ? .green : .red, .now - start)
      test.recordings = deck.journal.all.dropFirst(first).compactMap(\.take.interaction).sorted()
      try journal.append(.test(test))
    }
    try thrown.map { throw $0 }
  }
}
