package import Foundation
package import WindTunnel

/// A reader of cassettes together with the journal of an interrupted recording.
package enum CassetteFile {
  /// Returns a cassette for playing or viewing; no file changes.
  package static func read(_ file: URL) throws -> Cassette {
    let (cassette, count, incomplete) = try Cassette.withLeftovers(file)
    if count > 0 {
      let journal = RecordingJournal.file(besides: file).lastPathComponent
      Terminal.complain(
        "\(file.relativePath) is read with \(interactions(count, incomplete)) of \(journal), whose "
          + "recording ended before it was written; the next recording to it adds them.\n"
      )
    }
    return cassette
  }

  package static func read(_ path: String) throws -> Cassette { try read(URL(typed: path)) }

  /// Returns a cassette for playing, and reports its parts that are not played.
  package static func readToPlay(_ file: URL) throws -> Cassette {
    let cassette = try read(file)
    for line in cassette.unplayed { Terminal.complain("\(file.relativePath): \(line)\n") }
    return cassette
  }

  /// Creates a folder for output files, including its parent folders.
  package static func makeFolder(_ path: String) throws(CommandError) {
    do {
      try FileManager.default.createDirectory(
        at: URL(typed: path),
        withIntermediateDirectories: true
      )
    } catch { throw CommandError(.cannotWrite, "\(path) cannot be created.") }
  }

  /// Returns a cassette for writing. The journal of an interrupted recording is first merged into
  /// the file.
  package static func readForWriting(_ file: URL) throws -> Cassette {
    let left = RecordingJournal.file(besides: file)
    guard FileManager.default.fileExists(atPath: left.path) else {
      return try Cassette(contentsOf: file)
    }
    let journal = try RecordingJournal(besides: file)
    defer { journal.close() }
    let exists = FileManager.default.fileExists(atPath: file.path)
    let (cassette, count) = try takeUp(journal, onto: file)
    return exists || count > 0 ? cassette : try Cassette(contentsOf: file)
  }

  /// Merges the journal of an interrupted recording into a cassette and reports it. `goesOn` means
  /// that a recording follows.
  package static func takeUp(
    _ journal: RecordingJournal,
    onto file: URL,
    of path: String? = nil,
    goesOn: Bool = false
  ) throws -> (cassette: Cassette, count: Int) {
    let exists = FileManager.default.fileExists(atPath: file.path)
    let found = exists ? try Cassette(contentsOf: file) : Cassette()
    let (folded, count) = try journal.takeUp(onto: found, goesOn: goesOn)
    if count > 0 {
      let taken = interactions(count, journal.incompleteCount)
      Terminal.complain(
        "\(path ?? file.relativePath) includes \(taken) of a recording that ended before it was "
          + "written.\n"
      )
    }
    return (folded, count)
  }

  private static func interactions(_ count: Int, _ incomplete: Int) -> String {
    incomplete == 0
      ? count.counted("interaction")
      : "\(count - incomplete) whole and \(incomplete) incomplete interactions"
  }
}
