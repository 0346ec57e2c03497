public import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// A file beside a cassette, `users.json.journal`, that contains a recording while it is running.
///
/// A cassette is written in one step when its recording ends, so an earlier crash would lose
/// everything. An interaction is written to the journal as soon as it is complete, before its
/// client has received the end of the response. The next recording onto the cassette adopts the
/// journal.
///
/// An interaction is written without the secrets that are known by then. If a later secret occurs
/// in a written interaction, that interaction is overwritten before anything else is written. It is
/// then written again without the secret.
public final class RecordingJournal: Sendable {
  /// The file of the journal.
  public let file: URL
  private let cassetteFile: URL
  private let losing: (@Sendable (String) -> Void)?
  private let state: Locked<State>

  /// The maximum size of bodies for which an interaction is searched while the lock is held.
  private static let lockedBytesMax = 64 << 10
  /// The maximum number of bytes of withdrawn parts: they stay as blanks, and a journal is read
  /// whole.
  ///
  /// Beyond it no further part is written.
  fileprivate static let withdrawnBytesMax = 128 << 20
  /// The maximum number of times that an interaction is searched; a search is repeated if other
  /// threads have found secrets in the meantime.
  private static let attemptsMax = 3

  /// The state of an open journal, which one lock protects.
  struct State {
    var page: JournalPage?
    let journal: URL
    let calls: FileCalls
    let sideFiles: SideFiles
    fileprivate let lineBytesMax: Int
    /// Whether room is reserved for the end.
    fileprivate let keepsReserve: Bool
    /// The range that is reserved; `nil` for none.
    var reserve: Range<Int>?
    /// The secrets that earlier lines may still contain.
    fileprivate var unreplaced: [String] = []
    /// The side files that only the journal uses.
    fileprivate var ownSideFiles: Set<String> = []
    fileprivate var redaction = Redaction(continuing: [])
    fileprivate var rewrites = false
    fileprivate var isBegun = false
    fileprivate var isUnfinished = false
    var incompleteCount = 0
    fileprivate var lines: [PendingLine] = []
    /// The ranges of parts, by the numbers of their requests.
    fileprivate var parts: [Int: Range<Int>] = [:]
    fileprivate var withdrawnBytes = 0
    /// A filter of all lines that were searched for secrets: a secret that occurs in none of them
    /// is rejected in constant time.
    fileprivate var seen = NGramFilter(words: seenWords)
    fileprivate static let seenWords = 1 << 17
    /// The secrets that were found, in order.
    fileprivate var learned: [String] = []
    fileprivate var problem: (any Error)?
    /// The state of the cassette's file when the recording began, or after its last write.
    var known: FileStamp
  }

  fileprivate typealias Mark = JournalFormat.Mark

  /// A line that has been written.
  fileprivate struct PendingLine {
    let place: Range<Int>
    let interaction: Interaction
    let mark: Mark
    /// Whether the filter of all lines contains the line.
    var isSeen = false
    var filter: NGramFilter?

    /// Returns whether one of the words may occur in the line. The filter is created at first use,
    /// because most lines are never searched.
    mutating func mayContain(anyOf words: [String]) -> Bool {
      let filter = filter ?? NGramFilter(interaction)
      self.filter = filter
      return words.contains(where: filter.mayContain)
    }
  }

  /// An interaction that the journal does not contain, and the reason.
  fileprivate struct Loss {
    let interaction: Interaction
    let error: any Error

    /// A line about the interaction, without secrets.
    var line: String { "\(interaction.request.method) \(interaction.request.url): \(error)" }
  }

  /// Opens the journal of a cassette, for this process alone.
  ///
  /// - Parameters:
  ///   - cassette: The cassette's file.
  ///   - losing: Called at once for each interaction that could not be written, with one line
  ///     without secrets. The recording itself still contains the interaction.
  /// - Throws: `FileError` if the file cannot be written, or if another process records onto the
  ///   cassette.
  public convenience init(
    besides cassette: URL,
    losing: (@Sendable (String) -> Void)? = nil
  ) throws(FileError) {
    try self.init(besides: cassette, by: FileCalls(), losing: losing)
  }

  /// Opens the journal of a cassette with other system calls.
  convenience init(
    besides cassette: URL,
    by calls: FileCalls,
    losing: (@Sendable (String) -> Void)? = nil
  ) throws(FileError) {
    try self.init(Self.file(besides: cassette), besides: cassette, by: calls, losing: losing)
  }

  /// Opens an additional journal of a cassette that several processes record, under a name of its
  /// own.
  ///
  /// Bodies that are larger than `lineBytesMax` are written to side files of the cassette at once.
  package convenience init(
    _ file: URL,
    besides cassette: URL,
    bodiesInLines lineBytesMax: Int = Body.openedBytesMax
  ) throws(FileError) {
    try self.init(file, besides: cassette, bodiesInLines: lineBytesMax, keepsReserve: false)
  }

  /// Opens a journal. A body that the cassette stores in a side file is in that file from the
  /// start, and needs no room for a second copy.
  private init(
    _ file: URL,
    besides cassette: URL,
    bodiesInLines lineBytesMax: Int = SideFiles.bodyBytesMin - 1,
    keepsReserve: Bool = true,
    by calls: FileCalls = FileCalls(),
    losing: (@Sendable (String) -> Void)? = nil
  ) throws(FileError) {
    (self.file, self.losing, cassetteFile) = (file, losing, cassette)
    state = Locked(
      State(
        page: try JournalPage(file, of: cassette, calls: calls),
        journal: file,
        calls: calls,
        sideFiles: SideFiles(of: cassette),
        lineBytesMax: lineBytesMax,
        keepsReserve: keepsReserve,
        known: FileStamp(cassette)
      )
    )
  }

  deinit { close() }

  /// Adds the interactions of earlier, interrupted recordings to a cassette, and writes the
  /// cassette if there are any.
  ///
  /// - Parameters:
  ///   - cassette: The contents of the cassette's file.
  ///   - goesOn: Whether a recording follows, which must end before the cassette counts as
  ///     complete. Until then, the journal states that it is incomplete (``isUnfinished``), even
  ///     after a crash.
  /// - Returns: The current contents of the file, and the number of interactions that were adopted.
  /// - Throws: `FormatError` if the journal cannot be parsed, `FileError` if the cassette cannot be
  ///   written; the journal then stays.
  public func takeUp(
    onto cassette: Cassette,
    goesOn: Bool = false
  ) throws -> (cassette: Cassette, count: Int) {
    var run = RunRecordings()
    return try takeUp(onto: cassette, goesOn: goesOn, beside: &run)
  }

  /// Does the same for one of several journals of a run, which do not replace interactions of each
  /// other.
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
        // The side files of a line that was not written.
        state.sideFiles.removeAll(except: cassette.sideFileNames)
      }
      if let partial = left.partial { _ = state.calls.remove(partial.path) }
      // Even if no line was complete: the next line must not follow an incomplete one.
      try state.page?.clear()
      let count = JournalFormat.count(of: sessions, in: folded, beside: base)
      state.incompleteCount = folded.newParts(beside: base)
      state.isUnfinished = count > 0 || sessions.contains { $0.isUnfinished }
      // The cassette looks complete, and is incomplete until another recording onto it ends.
      if goesOn, state.isUnfinished { _ = try state.page?.append(JournalFormat.unfinished) }
      return (folded, count)
    }
  }

  /// Writes the cassette of a recording that has ended, and removes the journal.
  ///
  /// If the disk has no room for a second copy of the journalled interactions, the cassette is
  /// written interaction by interaction. Each uses the room that its line has released. If the
  /// process ends in the meantime, the next recording has all interactions. Interactions that are
  /// not journalled, and bodies that have no room in any case, are then omitted.
  ///
  /// - Parameters:
  ///   - cassette: The whole cassette.
  ///   - orders: The numbers of the requests of its new interactions, which are its last ones.
  /// - Returns: The number of interactions on the cassette, and a sentence for each one that was
  ///   omitted for lack of room.
  /// - Throws: `FileError` if the cassette cannot be written; the journal then stays.
  package func end(
    with cassette: Cassette,
    orders: [Int]
  ) throws -> (count: Int, leftOut: [String]) {
    // The lock is held throughout: nothing may be written after the end.
    try state.withLock { state in
      defer { state.leave { $0.close() } }
      let result = try state.write(
        cassette,
        orders: orders,
        lines: state.lines.map { JournalRoom.KeptLine(order: $0.mark.order, place: $0.place) },
        to: cassetteFile
      )
      state.leave { $0.remove() }
      return result
    }
  }

  /// Removes the journal after its recording has ended.
  public func remove() { state.withLock { state in state.leave { $0.remove() } } }

  /// Discards the interactions of the current recording.
  ///
  /// If an earlier recording was interrupted, the journal stays, because the cassette contains only
  /// part of that recording. Otherwise the journal is removed.
  public func giveUp() {
    state.withLock { state in
      guard state.page != nil else { return }
      do {
        if state.isUnfinished {
          try state.page?.clear()
          _ = try state.page?.append(JournalFormat.unfinished)
          state.leave { $0.close() }
        }
      } catch {
        // If the line cannot be written, the journal is removed like any other.
      }
      state.leave { $0.remove() }
      // Side files are removed last, when no line names them any more.
      for name in state.ownSideFiles { state.sideFiles.remove(name) }
      state.ownSideFiles = []
    }
  }

  /// Whether the journal is open and in its folder, so that the next recording continues with it.
  package var isInPlace: Bool { state.withLock { $0.isInPlace } }

  /// Whether the cassette contains part of a recording that has not ended; known after
  /// ``takeUp(onto:goesOn:)``.
  public var isUnfinished: Bool { state.withLock { $0.isUnfinished } }

  /// The number of adopted interactions that are incomplete because of a kill.
  package var incompleteCount: Int { state.withLock { $0.incompleteCount } }

  /// Closes the journal and keeps it for the next recording, or removes it if it is empty.
  public func close() { state.withLock { state in state.leave { $0.close() } } }

  /// The error of the first interaction that could not be written to the journal; `nil` if there is
  /// none.
  ///
  /// The recording itself still contains the interaction.
  public var problem: (any Error)? { state.withLock { $0.problem } }

  /// Continues the numbering of secrets of a cassette.
  func begin(after cassette: Cassette, _ rules: RedactionRules, rewrites: Bool) {
    state.withLock { state in
      // Also if the cassette is rewritten: adopted interactions may be next to old ones.
      state.redaction = Redaction(continuing: cassette.interactions, rules: rules)
      state.rewrites = rewrites
      (state.isBegun, state.reserve) = (false, nil)
      (state.lines, state.unreplaced) = ([], [])
      state.parts = [:]
    }
  }

  /// Writes an interaction, and withdraws an earlier part of it. A part is an interaction whose
  /// exchange has not ended.
  func append(_ interaction: Interaction, order: Int, isPart: Bool = false) {
    let mark = Mark(order: order, isPart: isPart)
    let losses =
      interaction.bodyBytes > Self.lockedBytesMax
      ? appendApart(interaction, mark) : state.withLock { $0.append(interaction, mark) }
    if let losing { for loss in losses { losing(loss.line) } }
  }

  /// Writes a large interaction; returns the interactions that the journal does not contain because
  /// of it.
  ///
  /// Its secrets are searched without the lock, so that a thread with a small interaction need not
  /// wait.
  private func appendApart(_ interaction: Interaction, _ mark: Mark) -> [Loss] {
    var losses: [Loss] = []
    for _ in 0..<Self.attemptsMax {
      // Without a page nothing is written any more.
      let begin = state.withLock { $0.page == nil ? nil : ($0.redaction, $0.learned.count) }
      guard let (start, learnedCount) = begin else { return losses }
      var redaction = start
      let kept = redaction.redact([interaction])
      let (ordinals, lost) = state.withLock { $0.adopt(redaction, since: start) }
      losses += lost
      let lines = kept.map { line in
        ordinals.isEmpty ? line : line.renumbered { ordinals[$0] ?? $0.ordinal }
      }
      let filters = lines.map { NGramFilter($0) }
      let seen = lines.map { NGramFilter($0, words: State.seenWords) }
      let own = Set(redaction.takeLearned())
      let sought = redaction.pseudonyms.sought
      let written = state.withLock { state -> [Loss]? in
        let words = state.learned.dropFirst(learnedCount).filter { word in
          // A secret that it has found by itself may cover fewer places than one that others have
          // found.
          !own.contains(word)
            || sought[word]?.reach != state.redaction.pseudonyms.sought[word]?.reach
        }
        if filters.contains(where: { words.contains(where: $0.mayContain) }) { return nil }
        for filter in seen { state.seen.formUnion(filter) }
        return state.write(lines, mark, isSeen: true)
      }
      if let written { return losses + written }
    }
    // Other threads keep finding secrets, so this time the lock is held.
    return losses + state.withLock { $0.append(interaction, mark) }
  }
}

extension RecordingJournal.State {
  var isInPlace: Bool { page?.isInPlace ?? false }

  /// Ends the use of the page, if it is open.
  fileprivate mutating func leave(_ end: (inout JournalPage) -> Void) {
    if var page { end(&page) }
    page = nil
  }

  /// Writes an interaction; returns the interactions that the journal does not contain because of
  /// it.
  fileprivate mutating func append(_ interaction: Interaction, _ mark: JournalFormat.Mark)
    -> [RecordingJournal.Loss]
  {
    page == nil ? [] : write(redaction.redact([interaction]), mark)
  }

  /// Writes searched interactions, after overwriting earlier lines that contain their secrets.
  ///
  /// Returns the interactions that the journal does not contain because of it.
  fileprivate mutating func write(
    _ kept: [Interaction],
    _ mark: JournalFormat.Mark,
    isSeen: Bool = false
  ) -> [RecordingJournal.Loss] {
    guard page != nil else { return [] }
    let new = redaction.takeLearned()
    learned += new
    unreplaced += new
    var losses: [RecordingJournal.Loss] = []
    do {
      try replaceEchoes(losing: &losses)
      // While a part was searched, its exchange may have ended.
      let isLate = mark.isPart && lines.contains { $0.mark == .init(order: mark.order) }
      if !isLate { replacePart(by: kept, mark, isSeen, &losses) }
    } catch {
      // Nothing is written while the journal contains a secret that could not be overwritten.
      if !mark.isPart { losses += kept.map { .init(interaction: $0, error: error) } }
    }
    if let first = losses.first { problem = problem ?? first.error }
    return losses
  }

  /// Writes an interaction, and then withdraws the earlier part of it.
  ///
  /// A part without room is not a loss while its exchange is running, and the earlier part stays.
  private mutating func replacePart(
    by kept: [Interaction],
    _ mark: JournalFormat.Mark,
    _ isSeen: Bool,
    _ losses: inout [RecordingJournal.Loss]
  ) {
    if mark.isPart, withdrawnBytes > RecordingJournal.withdrawnBytesMax { return }
    let earlier = parts[mark.order]
    for interaction in kept {
      do { try write(interaction, mark, isSeen) } catch {
        if !mark.isPart { losses.append(.init(interaction: interaction, error: error)) }
        // The earlier part is better than nothing.
        return
      }
    }
    guard let earlier, let index = lines.lastIndex(where: { $0.place == earlier }) else { return }
    // A part that cannot be overwritten is still searched, and the next recording skips it.
    guard (try? page?.blank(earlier)) != nil else { return }
    withdrawnBytes += earlier.count
    removeSideFiles(of: lines.remove(at: index))
  }

  private mutating func write(
    _ interaction: Interaction,
    _ mark: JournalFormat.Mark,
    _ isSeen: Bool
  ) throws {
    try begin()
    var new: [String] = []
    do {
      let aside = try keepAside(interaction.bodies, noting: &new)
      let bytes = try JournalFormat.line(interaction, mark) { body in
        aside.first { $0.body == body }?.name
      }
      guard let place = try page?.append(bytes) else { return }
      lines.append(.init(place: place, interaction: interaction, mark: mark, isSeen: isSeen))
      parts[mark.order] = mark.isPart ? place : nil
    } catch {
      remove(new)
      throw error
    }
  }

  /// Writes the first line of a recording, and reserves room for its end if possible.
  private mutating func begin() throws {
    guard !isBegun else { return }
    let header = JournalFormat.header(rewrites: rewrites)
    do {
      guard keepsReserve else { throw FileError.refused(journal, ENOSPC) }
      let place = try page?.append(header + JournalFormat.reserve)
      reserve = place.map { $0.lowerBound + header.count..<$0.upperBound }
    } catch {
      _ = try page?.append(header)
    }
    isBegun = true
  }

  /// Writes bodies that are too large for a line to side files; returns their names, and notes the
  /// names of new files.
  private mutating func keepAside(
    _ bodies: [Body],
    noting new: inout [String]
  ) throws -> [(body: Body, name: String)] {
    var aside: [(body: Body, name: String)] = []
    for body in bodies where body.count > lineBytesMax {
      guard let (name, isNew) = try sideFiles.kept(body) else { continue }
      if isNew {
        ownSideFiles.insert(name)
        new.append(name)
      }
      aside.append((body, name))
    }
    return aside
  }

  private mutating func remove(_ names: [String]) {
    for name in names where ownSideFiles.remove(name) != nil { sideFiles.remove(name) }
  }

  /// Removes the side files of a line that was removed, unless another line names them.
  private mutating func removeSideFiles(
    of line: RecordingJournal.PendingLine,
    beside kept: [Interaction] = []
  ) {
    let large = line.interaction.bodies.filter { $0.count > lineBytesMax }
    guard !large.isEmpty else { return }
    let staying = (lines.map(\.interaction) + kept).flatMap(\.bodies)
    remove(large.filter { !staying.contains($0) }.map(\.digest))
  }

  /// Overwrites lines with secrets that were unknown when they were written, and writes them again
  /// without the secrets.
  private mutating func replaceEchoes(losing losses: inout [RecordingJournal.Loss]) throws {
    if unreplaced.isEmpty { return }
    for index in lines.indices where !lines[index].isSeen {
      seen.look(through: lines[index].interaction)
      lines[index].isSeen = true
    }
    let words = unreplaced.filter { seen.mayContain($0) }
    for index in lines.indices.reversed()
    where !words.isEmpty && lines[index].mayContain(anyOf: words) {
      let line = lines[index]
      let kept = redaction.redact([line.interaction])
      if kept == [line.interaction] { continue }
      try page?.blank(line.place)
      lines.remove(at: index)
      removeSideFiles(of: line, beside: kept)
      for interaction in kept {
        do { try write(interaction, line.mark, false) } catch {
          losses.append(.init(interaction: interaction, error: error))
        }
      }
    }
    unreplaced = []
  }

  /// Adds the results of a search without the lock, and overwrites lines that contain its secrets.
  ///
  /// - Returns: The ordinals that other threads have used since, with their replacements; and the
  ///   interactions that the journal no longer contains.
  fileprivate mutating func adopt(
    _ found: Redaction,
    since start: Redaction
  ) -> (ordinals: [Pseudonym: Int], losses: [RecordingJournal.Loss]) {
    let ordinals = redaction.adopt(found, since: start)
    return (ordinals, write([], JournalFormat.Mark(order: 0, isPart: true)))
  }
}
