internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The state of the cassettes that this process records.
struct RecordingRegistry: Sendable {
  /// The process's own. Its lock also keeps writers apart.
  static let shared = Locked(RecordingRegistry())

  /// Those whose recording was cut off by the end of another process, and those that this one has
  /// begun: they are no whole cassettes yet, and tests go on with them.
  private var begun: Set<URL> = []
  /// Those beside which it has looked for journals that were left.
  private var lookedBeside: Set<URL> = []
  /// The journals that are being written here: tests that share a cassette have one each.
  private var journals: Set<URL> = []
  /// The journals that mark a cassette as half a recording, until a recording onto it is kept.
  private var marks: [URL: RecordingJournal] = [:]
  /// The recordings that tests of this process have written onto each.
  private var runs: [URL: RunRecordings] = [:]

  /// Returns the recordings that tests of this process have written onto a cassette.
  func run(on file: URL) -> RunRecordings { runs[file] ?? RunRecordings() }

  /// Tells whether what stands on a cassette is but a part of what is being recorded.
  func goesOn(_ file: URL) -> Bool { begun.contains(file) }

  /// Remembers a cassette that was not there before.
  mutating func begin(_ file: URL) { begun.insert(file) }

  /// Puts onto a cassette what was left beside it.
  mutating func takeUp(besides file: URL) throws {
    guard !lookedBeside.contains(file) else { return }
    // They are of one run, whose tests have recorded beside each other.
    var run = RunRecordings()
    for url in Self.journals(besides: file) {
      // One that is locked is no leftover: somebody else is writing it.
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
    // Where it has thrown, the next test is told the same.
    lookedBeside.insert(file)
  }

  /// Returns a journal of one's own; without one, where it cannot be written, the recording is as
  /// good.
  mutating func journal(besides file: URL) -> RecordingJournal? {
    // What cannot be written here is told when the cassette is.
    try? Self.makeFolder(of: file)
    for number in 1...Self.journalsMax {
      let url = Self.journal(number, besides: file)
      // One that is locked belongs to another process.
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

  /// A recording onto a cassette is kept: it is no longer what a killed one has left.
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

  /// The most tests that journal at once what they record onto one cassette.
  private static let journalsMax = 64

  /// `users.json.journal`, `users.json.2.journal` and so on.
  private static func journal(_ number: Int, besides file: URL) -> URL {
    let first = RecordingJournal.file(besides: file)
    if number == 1 { return first }
    return first.deletingPathExtension().appendingPathExtension("\(number).journal")
  }

  /// Returns the journals that are there.
  static func journals(besides file: URL) -> [URL] {
    (1...journalsMax).map { journal($0, besides: file) }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
  }
}
