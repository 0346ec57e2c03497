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
  let state: Locked<State>

  struct State {
    var page: JournalPage?
    let sideFiles: SideFiles
    let lineBytesMax: Int
    /// The side files that are there for the journal alone.
    var ownSideFiles: Set<String> = []
    var redaction = Redaction(continuing: [])
    var rewrites = false
    var isBegun = false
    var isUnfinished = false
    var lines: [Line] = []
    /// The secrets that were learnt, in their order.
    var learned: [String] = []
    var problem: (any Error)?
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
  /// - Parameters:
  ///   - cassette: What stands in the cassette's file.
  ///   - goesOn: Whether a recording follows, which is to come to its end before the cassette counts as
  ///     whole: until then, whatever ends it, the journal says that it is not (``isUnfinished``).
  /// - Returns: What stands in it now, and how many interactions were taken up.
  /// - Throws: `FormatError` for a journal that does not read, `FileError` for a cassette that cannot
  ///   be written; then the journal stays.
  public func takeUp(
    onto cassette: Cassette,
    goesOn: Bool = false
  ) throws -> (cassette: Cassette, count: Int) {
    var claims = Claims()
    return try takeUp(onto: cassette, goesOn: goesOn, beside: &claims)
  }

  /// The same for one of several journals that a run has left, which replace nothing of each other.
  package func takeUp(
    onto cassette: Cassette,
    goesOn: Bool,
    beside claims: inout Claims
  ) throws -> (cassette: Cassette, count: Int) {
    let data = try FileError.reading(file, bytesMax: Cassette.fileBytesMax)
    let sideFiles = SideFiles(of: cassetteFile)
    let sessions = try JournalFormat.decode(data, source: file.lastPathComponent) {
      try sideFiles.read($0)
    }
    let folded = JournalFormat.fold(sessions, into: cassette, beside: &claims)
    if folded != cassette { try folded.write(to: cassetteFile) }
    let count = folded == cassette ? 0 : sessions.map(\.lines.count).reduce(0, +)
    try state.withLock { state in
      // Even where nothing was whole: what comes now must not follow half a line.
      try state.page?.clear()
      state.isUnfinished = count > 0 || sessions.contains { $0.isUnfinished }
      // The cassette is half a recording until one onto it comes to its end, and looks whole.
      if goesOn, state.isUnfinished { _ = try state.page?.append(JournalFormat.unfinished) }
    }
    return (folded, count)
  }

  /// Removes the journal, whose recording has come to its end.
  public func remove() {
    state.withLock { state in
      state.page?.remove()
      state.page = nil
    }
  }

  /// Removes what came since the last recording that was ended before it was written, if there was
  /// one: what stands on the cassette is still but a part of it. Else removes the journal.
  public func giveUp() {
    let isKept = state.withLock { state in
      guard state.isUnfinished, state.page != nil else { return false }
      do {
        try state.page?.clear()
        _ = try state.page?.append(JournalFormat.unfinished)
        return true
      } catch {
        return false
      }
    }
    if isKept { close() } else { remove() }
  }

  /// Whether what stands on the cassette is part of a recording that has not come to its end; known
  /// when it was taken up.
  public var isUnfinished: Bool { state.withLock { $0.isUnfinished } }

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
    if interaction.bodyBytes > Self.lockedBytesMax { return appendApart(interaction, order: order) }
    state.withLock { state in
      guard state.problem == nil, state.page != nil else { return }
      do { try state.append(interaction, order: order) } catch { state.problem = error }
    }
  }
}
