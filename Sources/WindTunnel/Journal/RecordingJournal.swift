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
  private let losing: (@Sendable (String) -> Void)?
  let state: Locked<State>

  struct State {
    var page: JournalPage?
    let journal: URL
    let calls: FileCalls
    let sideFiles: SideFiles
    let lineBytesMax: Int
    /// Tells whether room is kept for the end.
    let keepsReserve: Bool
    /// The room that is kept.
    var reserve: Range<Int>?
    /// Secrets that may still stand in lines that were written before.
    var unreplaced: [String] = []
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
  /// - Parameters:
  ///   - cassette: The cassette's file.
  ///   - losing: Told at once, in a line without secrets, of each interaction that could not be
  ///     journalled; the recording itself goes on with it.
  /// - Throws: `FileError` where it cannot be written, or where the cassette is being recorded by
  ///   somebody else.
  public convenience init(
    besides cassette: URL,
    losing: (@Sendable (String) -> Void)? = nil
  ) throws(FileError) {
    try self.init(besides: cassette, by: FileCalls(), losing: losing)
  }

  /// The same by other calls of the system.
  convenience init(
    besides cassette: URL,
    by calls: FileCalls,
    losing: (@Sendable (String) -> Void)? = nil
  ) throws(FileError) {
    try self.init(
      Self.file(besides: cassette),
      besides: cassette,
      // What the cassette has in a side file is one from the start, and needs no room for a second.
      bodiesInLines: SideFiles.bodyBytesMin - 1,
      keepsReserve: true,
      by: calls,
      losing: losing
    )
  }

  /// Opens a further journal of a cassette that several record at once, by its own name. Bodies that
  /// are larger than `lineBytesMax` stand in no line: they are side files of the cassette at once.
  package convenience init(
    _ file: URL,
    besides cassette: URL,
    bodiesInLines lineBytesMax: Int = Body.openedBytesMax
  ) throws(FileError) {
    try self.init(
      file,
      besides: cassette,
      bodiesInLines: lineBytesMax,
      keepsReserve: false,
      by: FileCalls(),
      losing: nil
    )
  }

  private init(
    _ file: URL,
    besides cassette: URL,
    bodiesInLines lineBytesMax: Int,
    keepsReserve: Bool,
    by calls: FileCalls,
    losing: (@Sendable (String) -> Void)?
  ) throws(FileError) {
    self.file = file
    self.losing = losing
    cassetteFile = cassette
    state = Locked(
      State(
        page: try JournalPage(file, of: cassette, calls: calls),
        journal: file,
        calls: calls,
        sideFiles: SideFiles(of: cassette),
        lineBytesMax: lineBytesMax,
        keepsReserve: keepsReserve
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
    var run = RunRecordings()
    return try takeUp(onto: cassette, goesOn: goesOn, beside: &run)
  }

  /// The same for one of several journals that a run has left, which replace nothing of each other.
  package func takeUp(
    onto cassette: Cassette,
    goesOn: Bool,
    beside run: inout RunRecordings
  ) throws -> (cassette: Cassette, count: Int) {
    let data = try FileError.reading(file, bytesMax: Cassette.fileBytesMax)
    if !data.isEmpty { FileError.removeRemains(of: cassetteFile) }
    let left = try JournalLeft(data, of: file, beside: cassetteFile)
    let (base, sessions) = (left.base ?? cassette, left.sessions)
    let folded = JournalFormat.fold(sessions, into: base, beside: &run)
    return try state.withLock { state in
      if folded != cassette {
        try state.write(folded, of: left, onto: base, to: cassetteFile)
      } else if !data.isEmpty {
        // What the next line was to name.
        state.sideFiles.removeAll(except: cassette.sideFileNames)
      }
      if let partial = left.partial { _ = state.calls.remove(partial.path) }
      // Even where nothing was whole: what comes now must not follow half a line.
      try state.page?.clear()
      let count = folded == base ? 0 : sessions.map(\.lines.count).reduce(0, +)
      state.isUnfinished = count > 0 || sessions.contains { $0.isUnfinished }
      // The cassette is half a recording until one onto it comes to its end, and looks whole.
      if goesOn, state.isUnfinished { _ = try state.page?.append(JournalFormat.unfinished) }
      return (folded, count)
    }
  }

  /// Writes the cassette that a recording has come to, and removes the journal.
  ///
  /// Where the disk has no room for a second copy of what is journalled, the cassette is written
  /// interaction by interaction, and each takes the room that its line has given back; whatever ends
  /// the process meanwhile, all of it is there for the next recording. What is not journalled then, and
  /// bodies that have no room in any case, are left out.
  ///
  /// - Parameters:
  ///   - cassette: The whole of it.
  ///   - orders: The numbers of the requests that are new on it, which are its last ones.
  /// - Returns: How many interactions stand on it, and what was left out for want of room, in words.
  /// - Throws: `FileError` where it cannot be written; then the journal stays.
  package func end(
    with cassette: Cassette,
    orders: [Int]
  ) throws -> (count: Int, leftOut: [String]) {
    // In one hold of the lock: nothing may be written behind the end.
    try state.withLock { state in
      do {
        let result = try state.write(
          cassette,
          orders: orders,
          lines: state.lines.map { JournalRoom.Line(order: $0.order, place: $0.place) },
          to: cassetteFile
        )
        state.page?.remove()
        state.page = nil
        return result
      } catch {
        state.page?.close()
        state.page = nil
        throw error
      }
    }
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
    state.withLock { state in
      guard state.page != nil else { return }
      do {
        if state.isUnfinished {
          try state.page?.clear()
          _ = try state.page?.append(JournalFormat.unfinished)
          state.page?.close()
        } else {
          state.page?.remove()
        }
      } catch {
        state.page?.remove()
      }
      state.page = nil
      // Bodies that no line could hold are thrown away with them, when nothing names them any more.
      for name in state.ownSideFiles { state.sideFiles.remove(name) }
      state.ownSideFiles = []
    }
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

  /// Why the first that could not be journalled could not; the recording itself goes on with it.
  public var problem: (any Error)? { state.withLock { $0.problem } }

  /// Goes on counting secrets where a cassette ends.
  func begin(after cassette: Cassette, _ rules: RedactionRules, rewrites: Bool) {
    state.withLock { state in
      // Also where the cassette is made anew: what is taken up may stand beside the old.
      state.redaction = Redaction(continuing: cassette.interactions, rules: rules)
      state.rewrites = rewrites
      (state.isBegun, state.reserve) = (false, nil)
      (state.lines, state.unreplaced) = ([], [])
    }
  }

  /// Writes an interaction down.
  func append(_ interaction: Interaction, order: Int) {
    let losses =
      interaction.bodyBytes > Self.lockedBytesMax
      ? appendApart(interaction, order: order)
      : state.withLock { state in
        state.page == nil ? [] : state.append(interaction, order: order)
      }
    if let losing { for loss in losses { losing(loss.line) } }
  }
}
