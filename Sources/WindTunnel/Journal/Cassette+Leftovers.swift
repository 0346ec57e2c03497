package import Foundation

extension Cassette {
  /// Reads a cassette as it would be if its recordings had been taken up that were ended before they
  /// were written, and changes nothing on disk.
  ///
  /// A journal that is being written belongs to a recording that goes on, and is left alone.
  ///
  /// - Parameters:
  ///   - file: The cassette.
  ///   - journals: Where recordings may have left something; by default beside the cassette.
  /// - Returns: The cassette, and how many of its interactions stand in journals only.
  /// - Throws: `FileError` where neither is there or one cannot be read, `FormatError` for what does not
  ///   read.
  package static func withLeftovers(
    _ file: URL,
    journals: [URL]? = nil
  ) throws -> (cassette: Cassette, count: Int) {
    var sessions: [JournalFormat.Session] = []
    var base: Cassette?
    for journal in journals ?? [RecordingJournal.file(besides: file)] {
      guard let data = try JournalPage.left(journal) else { continue }
      let left = try JournalLeft(data, of: journal, beside: file)
      sessions += left.sessions
      base = base ?? left.base
    }
    let exists = FileManager.default.fileExists(atPath: file.path) || base != nil
    let hasLines = sessions.contains { !$0.lines.isEmpty }
    let tape = try base ?? (exists || !hasLines ? Cassette(contentsOf: file) : Cassette())
    var run = RunRecordings()
    let folded = JournalFormat.fold(sessions, into: tape, beside: &run)
    if folded == tape {
      // Connections that were refused are no recording: then there is no such file.
      return (exists ? tape : try Cassette(contentsOf: file), 0)
    }
    return (folded, sessions.map(\.lines.count).reduce(0, +))
  }
}

extension RecordingJournal {
  /// Where the recording of a cassette keeps its journal.
  package static func file(besides cassette: URL) -> URL {
    cassette.appendingPathExtension("journal")
  }
}
