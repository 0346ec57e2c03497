package import Foundation
package import WindTunnel

/// A reader of cassettes together with the journal of a recording that was cut short.
package enum CassetteFile {
  /// Returns a cassette that is played or looked at: nothing on disk changes.
  package static func read(_ file: URL) throws -> Cassette {
    let (cassette, count, incomplete) = try Cassette.withLeftovers(file)
    if count > 0 {
      let journal = RecordingJournal.file(besides: file).lastPathComponent
      Terminal.complain(
        "\(file.relativePath) is read with \(interactions(count, incomplete)) of \(journal), whose "
          + "recording was ended before it was written; the next recording onto it takes them up.\n"
      )
    }
    return cassette
  }

  package static func read(_ path: String) throws -> Cassette { try read(URL(typed: path)) }

  /// Returns a cassette that is played, and reports what of it is not.
  package static func readToPlay(_ file: URL) throws -> Cassette {
    let cassette = try read(file)
    for line in cassette.unplayed { Terminal.complain("\(file.relativePath): \(line)\n") }
    return cassette
  }

  /// Creates a folder for files that are written, and those above it.
  package static func makeFolder(_ path: String) throws(Refusal) {
    do {
      try FileManager.default.createDirectory(
        at: URL(typed: path),
        withIntermediateDirectories: true
      )
    } catch { throw Refusal(.cannotWrite, "\(path) cannot be made.") }
  }

  /// Returns a cassette that will be written: what was left beside it stands in it from now on.
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

  /// Puts what was left beside a cassette onto it, if it is there, and says so; `goesOn` where a
  /// recording follows.
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
        "\(path ?? file.relativePath) takes up \(taken) of a recording that was ended before it was "
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
