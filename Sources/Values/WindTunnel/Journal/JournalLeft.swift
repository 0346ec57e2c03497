package import Foundation

/// The remains of a recording that was ended, beside a cassette.
struct JournalLeft {
  /// The recorded sessions, the lines of each whole.
  private(set) var sessions: [JournalFormat.Session]
  /// The cassette as it was, where its file has become the beginning of the next one.
  private(set) var base: Cassette?
  /// The part of the cassette that is written already, where its end was under way.
  let partial: URL?
  /// The mark of the end that was under way, by which is known what of the journal stands in the
  /// part.
  private(set) var ending: JournalFormat.PendingCassette?

  /// Reads what a journal holds, and what its end had written by then.
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
      // It was written, and the process ended before it could remove the journal.
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

  /// Returns the file of the beginning of a cassette that has no room beside its journal.
  static func partial(of journal: URL) -> URL { journal.appendingPathExtension("partial") }

  /// Returns the interactions that are whole in the beginning of a cassette.
  private static func read(
    _ file: URL,
    sideFile: @escaping (String) throws -> Body
  ) throws -> Cassette {
    let data = try FileError.reading(file, bytesMax: Cassette.fileBytesMax)
    // Behind it there may be room that is not used yet.
    let text = Data(data.prefix { $0 != 0 })
    var end = text.endIndex
    while end > 0 {
      let begin = text[..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      var line = text[begin..<end]
      if line.last == UInt8(ascii: ",") { line = line.dropLast() }
      // An interaction begins and ends four columns in, on a line of its own or on several.
      if line.count > 4, line.prefix(4).allSatisfy({ $0 == UInt8(ascii: " ") }),
        line.last == UInt8(ascii: "}"),
        line.dropFirst(4).first == UInt8(ascii: "}") || isWhole(line)
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

  /// Tells whether a line is an interaction by itself; half of one is no JSON.
  private static func isWhole(_ line: Data) -> Bool {
    line.dropFirst(4).first == UInt8(ascii: "{") && (try? JSONParser.parse(line)) != nil
  }
}

extension Cassette {
  /// Reads a cassette as it would be if its recordings had been taken up that were ended before
  /// they were written, and changes nothing on disk.
  ///
  /// A journal that is being written belongs to a recording that goes on, and is left alone.
  ///
  /// - Parameters:
  ///   - file: The cassette.
  ///   - journals: Where recordings may have left something; by default beside the cassette.
  /// - Returns: The cassette, how many of its interactions stand in journals only, and how many of
  ///   those a kill has cut.
  /// - Throws: `FileError` where neither is there or one cannot be read, `FormatError` for what
  ///   does not read.
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
      // Connections that were refused are no recording: then there is no such file.
      return (exists ? recorded : try Cassette(contentsOf: file), 0, 0)
    }
    let count = JournalFormat.count(of: sessions, in: folded, beside: recorded)
    return (folded, count, folded.newParts(beside: recorded))
  }
}

extension RecordingJournal {
  /// Returns the file in which a recording of a cassette keeps its journal: beside the cassette
  /// itself, so that two recordings by two names meet there.
  package static func file(besides cassette: URL) -> URL {
    // A link that leads nowhere is refused when the cassette is written.
    ((try? FileError.target(of: cassette)) ?? cassette).appendingPathExtension("journal")
  }
}
