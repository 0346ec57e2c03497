internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The state of the cassettes that this process records.
struct RecordingRegistry: Sendable {
  /// The registry of the process. Its lock also serializes writers.
  static let shared = Locked(RecordingRegistry())

  /// The incomplete cassettes, to which tests continue to record.
  ///
  /// Another process was ended while recording them, or this process has begun them.
  private var begun: Set<URL> = []
  /// The cassettes for which remaining journals have been searched.
  private var lookedBeside: Set<URL> = []
  /// The journals in use by this process. Tests that share a cassette have one each.
  private var journals: Set<URL> = []
  /// The journals that mark a cassette as incomplete, until a recording is written to it.
  private var marks: [URL: RecordingJournal] = [:]
  /// The recordings that tests of this process have written, by cassette.
  private var runs: [URL: RunRecordings] = [:]

  /// Returns the recordings that tests of this process have written to a cassette.
  func run(on file: URL) -> RunRecordings { runs[file] ?? RunRecordings() }

  /// Returns whether a cassette is incomplete and still being recorded.
  func goesOn(_ file: URL) -> Bool { begun.contains(file) }

  /// Registers a cassette that did not exist before.
  mutating func begin(_ file: URL) { begun.insert(file) }

  /// Adds the recordings in remaining journals to their cassette.
  mutating func takeUp(besides file: URL) throws {
    guard !lookedBeside.contains(file) else { return }
    // The journals belong to one run, whose tests recorded concurrently.
    var run = RunRecordings()
    for url in Self.journals(besides: file) {
      // A locked journal does not remain from an ended process: another process writes it.
      guard let journal = try? RecordingJournal(url, besides: file) else { continue }
      let exists = FileManager.default.fileExists(atPath: file.path)
      let cassette = exists ? try Cassette(contentsOf: file) : Cassette()
      let marks = marks[file] == nil
      _ = try journal.takeUp(onto: cassette, goesOn: marks, beside: &run)
      if journal.isUnfinished { begun.insert(file) }
      if marks, journal.isUnfinished {
        self.marks[file] = journal
        journals.insert(url)
      } else {
        journal.remove()
      }
    }
    // After an error, the next test receives the same error.
    lookedBeside.insert(file)
  }

  /// Returns a new journal; `nil` if it cannot be written, which does not affect the recording.
  mutating func journal(besides file: URL) -> RecordingJournal? {
    // An error is reported later, when the cassette is written.
    try? Self.makeFolder(of: file)
    for number in 1...Self.journalsMax {
      let url = Self.journal(number, besides: file)
      // A locked journal belongs to another process.
      guard !journals.contains(url), let journal = try? RecordingJournal(url, besides: file)
      else { continue }
      journals.insert(url)
      return journal
    }
    return nil
  }

  /// Ends a recording's journal.
  mutating func end(_ journal: RecordingJournal?) {
    guard let journal else { return }
    journal.remove()
    journals.remove(journal.file)
  }

  /// Registers a recording written to a cassette, which is then no longer marked as incomplete.
  mutating func kept(_ file: URL, _ run: RunRecordings) {
    runs[file] = run
    end(marks.removeValue(forKey: file))
  }

  static func makeFolder(of file: URL) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
  }

  /// The maximum number of tests that record to one cassette concurrently.
  private static let journalsMax = 64

  /// Returns a journal's file: `users.json.journal`, `users.json.2.journal` and so on.
  private static func journal(_ number: Int, besides file: URL) -> URL {
    let first = RecordingJournal.file(besides: file)
    if number == 1 { return first }
    return first.deletingPathExtension().appendingPathExtension("\(number).journal")
  }

  /// Returns the existing journals of a cassette.
  static func journals(besides file: URL) -> [URL] {
    (1...journalsMax).map { journal($0, besides: file) }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
  }
}
