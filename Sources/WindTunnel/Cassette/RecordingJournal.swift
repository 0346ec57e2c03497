public import Foundation

/// What a recording has got so far, on disk beside its cassette: `users.json.journal`.
///
/// A cassette is written in one step when its recording ends, so whatever ends the process before
/// would take everything with it. Here each interaction stands as soon as it is complete, before its
/// client has the end of the answer. The next recording onto the cassette takes it up.
///
/// An interaction is written without the secrets that are known by then. One that turns out later to
/// repeat a secret is overwritten where it stands, before anything else is written, and then written
/// anew without it.
public final class RecordingJournal: Sendable {
  /// The journal's own file.
  public let file: URL
  private let cassetteFile: URL
  private let state: Locked<State>

  fileprivate struct State {
    var page: JournalPage?
    let sideFiles: SideFiles
    let lineBytesMax: Int
    /// The side files that are there for the journal alone.
    var ownSideFiles: Set<String> = []
    var redaction = Redaction(continuing: [])
    var rewrites = false
    var isBegun = false
    var lines: [Line] = []
    var problem: (any Error)?
  }

  /// A line that is written.
  fileprivate struct Line {
    let place: Range<Int>
    let interaction: Interaction
    let order: Int
    private var filter: GramFilter?

    init(_ place: Range<Int>, _ interaction: Interaction, order: Int) {
      (self.place, self.interaction, self.order) = (place, interaction, order)
    }

    /// Whether one of the words may be here. Most lines are never asked, so what answers is made when
    /// it is wanted.
    mutating func mayContain(anyOf words: [String]) -> Bool {
      let filter = filter ?? GramFilter(interaction)
      self.filter = filter
      return words.contains(where: filter.mayContain)
    }
  }

  /// Opens the journal of a cassette, for this process alone.
  ///
  /// - Throws: `FileError` where it cannot be written, or where the cassette is being recorded by
  ///   somebody else.
  public convenience init(besides cassette: URL) throws(FileError) {
    try self.init(Self.file(besides: cassette), besides: cassette)
  }

  /// Opens a further journal of a cassette that several record at once, by its own name. Bodies that
  /// are larger than `lineBytesMax` stand in no line: they are side files of the cassette at once.
  package init(
    _ file: URL,
    besides cassette: URL,
    bodiesInLines lineBytesMax: Int = Body.openedBytesMax
  ) throws(FileError) {
    self.file = file
    cassetteFile = cassette
    state = Locked(
      State(
        page: try JournalPage(file, of: cassette),
        sideFiles: SideFiles(of: cassette),
        lineBytesMax: lineBytesMax
      )
    )
  }

  deinit { close() }

  /// Adds to a cassette what earlier recordings onto it had got when they were ended, and writes it
  /// if that is anything.
  ///
  /// - Parameter cassette: What stands in the cassette's file.
  /// - Returns: What stands in it now, and how many interactions were taken up.
  /// - Throws: `FormatError` for a journal that does not read, `FileError` for a cassette that cannot
  ///   be written; then the journal stays.
  public func takeUp(onto cassette: Cassette) throws -> (cassette: Cassette, count: Int) {
    let data = try FileError.reading(file, bytesMax: Cassette.fileBytesMax)
    let sideFiles = SideFiles(of: cassetteFile)
    let sessions = try JournalFormat.decode(data, source: file.lastPathComponent) {
      try sideFiles.read($0)
    }
    let folded = JournalFormat.fold(sessions, into: cassette)
    if folded != cassette { try folded.write(to: cassetteFile) }
    // Even where nothing was whole: what comes now must not follow half a line.
    try state.withLock { try $0.page?.clear() }
    let count = folded == cassette ? 0 : sessions.map(\.lines.count).reduce(0, +)
    return (folded, count)
  }

  /// Removes the journal, whose recording has come to its end.
  public func remove() {
    state.withLock { state in
      state.page?.remove()
      state.page = nil
    }
  }

  /// Leaves the journal for the next recording to find, or removes it if nothing is in it.
  public func close() {
    state.withLock { state in
      state.page?.close()
      state.page = nil
    }
  }

  /// Why something could not be journalled; the recording itself goes on without.
  public var problem: (any Error)? { state.withLock { $0.problem } }

  /// Goes on counting secrets where a cassette ends.
  func begin(after cassette: Cassette, _ rules: RedactionRules, rewrites: Bool) {
    state.withLock { state in
      // Also where the cassette is made anew: what is taken up may stand beside the old.
      state.redaction = Redaction(continuing: cassette.interactions, rules: rules)
      state.rewrites = rewrites
      state.isBegun = false
      state.lines = []
    }
  }

  /// Writes an interaction down.
  func append(_ interaction: Interaction, order: Int) {
    state.withLock { state in
      guard state.problem == nil, state.page != nil else { return }
      do { try state.append(interaction, order: order) } catch { state.problem = error }
    }
  }
}

extension RecordingJournal.State {
  fileprivate mutating func append(_ interaction: Interaction, order: Int) throws {
    let kept = redaction.redact([interaction])
    try replaceEchoes()
    for interaction in kept { try write(interaction, order: order) }
  }

  private mutating func write(_ interaction: Interaction, order: Int) throws {
    if !isBegun {
      _ = try page?.append(JournalFormat.header(rewrites: rewrites))
      isBegun = true
    }
    let aside = try keepAside(interaction.bodies.map(\.data))
    let bytes = try JournalFormat.line(interaction, order: order) { data in
      aside.first { $0.data == data }?.name
    }
    guard let place = try page?.append(bytes) else { return }
    lines.append(RecordingJournal.Line(place, interaction, order: order))
  }

  /// Keeps bodies that are too large for a line, and answers their names.
  private mutating func keepAside(_ bodies: [Data]) throws -> [(data: Data, name: String)] {
    var aside: [(data: Data, name: String)] = []
    for data in bodies where data.count > lineBytesMax {
      guard let (name, isNew) = try sideFiles.kept(data) else { continue }
      if isNew { ownSideFiles.insert(name) }
      aside.append((data, name))
    }
    return aside
  }

  /// Overwrites what repeats a secret that was not known when it was written, and writes it anew
  /// without, if it can be written so.
  private mutating func replaceEchoes() throws {
    let learned = redaction.takeLearned()
    if learned.isEmpty { return }
    for index in lines.indices.reversed() where lines[index].mayContain(anyOf: learned) {
      let line = lines[index]
      let kept = redaction.redact([line.interaction])
      if kept == [line.interaction] { continue }
      try page?.blank(line.place)
      // What is too large for a line is as little to stay as the line.
      for body in line.interaction.bodies where body.count > lineBytesMax {
        let name = SHA256.hexadecimal(body.data)
        if ownSideFiles.remove(name) != nil { sideFiles.remove(name) }
      }
      lines.remove(at: index)
      for interaction in kept { try write(interaction, order: line.order) }
    }
  }
}

extension Interaction {
  fileprivate var bodies: [Body] { [request.body] + [response?.body].compactMap(\.self) }
}
