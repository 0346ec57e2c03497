package import Foundation

/// The remains of a recording beside a cassette, after its process ended.
struct JournalLeft {
  /// The recorded sessions; each line is complete.
  private(set) var sessions: [JournalFormat.Session]
  /// The earlier cassette, if its file has become the beginning of the next one; otherwise `nil`.
  private(set) var base: Cassette?
  /// The file of an incomplete cassette, if the end was being written; otherwise `nil`.
  let partial: URL?
  /// The facts about that end, which determine the lines of the journal that the file contains.
  private(set) var ending: JournalFormat.PendingCassette?

  /// Parses a journal, and reads the file that its end had begun to write.
  init(_ data: Data, of journal: URL, beside cassette: URL) throws {
    let sideFiles = SideFiles(of: cassette)
    let read = { (name: String) throws -> Body in try sideFiles.read(name) }
    sessions = try JournalFormat.decode(data, source: journal.lastPathComponent, sideFile: read)
    let file = Self.partial(of: journal)
    partial = FileManager.default.fileExists(atPath: file.path) ? file : nil
    guard let index = sessions.lastIndex(where: { $0.ending != nil }),
      let ending = sessions[index].ending
    else { return }
    let exists = FileManager.default.fileExists(atPath: cassette.path)
    if exists {
      let text = try FileError.reading(cassette, bytesMax: Cassette.fileBytesMax)
      // The cassette was written, and the process ended before it could remove the journal.
      if SHA256.hexadecimal(text) == ending.digest {
        sessions = []
        return
      }
    }
    guard let partial else { return }
    self.ending = ending
    let written = try Self.read(partial, sideFile: read)
    if !exists {
      var base = Cassette(Array(written.interactions.prefix(ending.after)))
      base.notes = written.notes
      self.base = base
    }
    let moved = written.interactions.dropFirst(ending.after)
    let rest = sessions[index].lines.sorted { $0.order < $1.order }
      .suffix(max(0, ending.lines - moved.count))
    sessions[index].lines =
      moved.enumerated().map { .init(order: $0.offset - moved.count, interaction: $0.element) }
      + rest
  }

  /// Returns the file for the beginning of a cassette that does not fit on the disk beside its
  /// journal.
  static func partial(of journal: URL) -> URL { journal.appendingPathExtension("partial") }

  /// Returns the complete interactions in the beginning of a cassette.
  private static func read(
    _ file: URL,
    sideFile: @escaping (String) throws -> Body
  ) throws -> Cassette {
    let data = try FileError.reading(file, bytesMax: Cassette.fileBytesMax)
    // Unused room may follow the text.
    let text = Data(data.prefix { $0 != 0 })
    var end = text.endIndex
    while end > 0 {
      let begin = text[..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      var line = text[begin..<end]
      if line.last == UInt8(ascii: ",") { line = line.dropLast() }
      // An interaction is indented by four columns, on one line or on several.
      if line.count > 4, line.prefix(4).allSatisfy({ $0 == UInt8(ascii: " ") }),
        line.last == UInt8(ascii: "}"),
        // Part of an interaction is not valid JSON.
        line.dropFirst(4).first == UInt8(ascii: "}")
          || line.dropFirst(4).first == UInt8(ascii: "{") && (try? JSONParser.parse(line)) != nil
      {
        return try CassetteFormat.decode(
          text[..<line.endIndex] + CassetteParts.closing,
          source: file.lastPathComponent,
          sideFile: sideFile
        )
      }
      end = max(0, begin - 1)
    }
    return Cassette()
  }
}

extension Cassette {
  /// Reads a cassette with the interactions of recordings that were interrupted, without changing
  /// any file.
  ///
  /// A journal that is being written belongs to a running recording, and is skipped.
  ///
  /// - Parameters:
  ///   - file: The cassette.
  ///   - journals: The possible journals; by default the journal beside the cassette.
  /// - Returns: The cassette, the number of its interactions that only exist in journals, and how
  ///   many of them a kill has cut.
  /// - Throws: `FileError` if neither file exists or a file cannot be read, `FormatError` if one
  ///   cannot be parsed.
  package static func withLeftovers(
    _ file: URL,
    journals: [URL]? = nil
  ) throws -> (cassette: Cassette, count: Int, incomplete: Int) {
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
    let recorded = try base ?? (exists || !hasLines ? Cassette(contentsOf: file) : Cassette())
    var run = RunRecordings()
    let folded = JournalFormat.fold(sessions, into: recorded, beside: &run)
    if folded == recorded {
      // Refused connections alone are not a recording, so the file does not exist.
      return (exists ? recorded : try Cassette(contentsOf: file), 0, 0)
    }
    let count = JournalFormat.count(of: sessions, in: folded, beside: recorded)
    return (folded, count, folded.newParts(beside: recorded))
  }
}

extension RecordingJournal {
  /// Returns the journal file of a cassette.
  ///
  /// It is next to the cassette itself, so that two recordings under two links use the same
  /// journal.
  package static func file(besides cassette: URL) -> URL {
    // A link without a target is an error when the cassette is written.
    ((try? FileError.target(of: cassette)) ?? cassette).appendingPathExtension("journal")
  }
}
