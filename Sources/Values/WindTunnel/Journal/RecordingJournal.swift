public import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// A file beside a cassette, `users.json.journal`, that holds a recording while it is being made.
///
/// A cassette is written in one step when its recording ends, so that a crash before would lose
/// everything. In the journal each interaction is written as soon as it is complete, before its
/// client has the end of the answer. The next recording onto the cassette takes it up.
///
/// An interaction is written without the secrets that are known by then. One that turns out later
/// to repeat a secret is overwritten where it stands, before anything else is written, and then
/// written anew without it.
public final class RecordingJournal: Sendable {
  /// The file of the journal.
  public let file: URL
  private let cassetteFile: URL
  private let losing: (@Sendable (String) -> Void)?
  private let state: Locked<State>

  /// The size of bodies up to which an interaction is searched inside the lock.
  private static let lockedBytesMax = 64 << 10
  /// The bytes of withdrawn parts from which on no further part is written: they stay as blanks,
  /// and a journal is read whole.
  fileprivate static let withdrawnBytesMax = 128 << 20
  /// The largest number of times that an interaction is searched, each time anew because others
  /// have meanwhile taught secrets that it may repeat.
  private static let attemptsMax = 3

  /// The state of an open journal, all of it under one lock.
  struct State {
    var page: JournalPage?
    let journal: URL
    let calls: FileCalls
    let sideFiles: SideFiles
    fileprivate let lineBytesMax: Int
    /// Tells whether room is kept for the end.
    fileprivate let keepsReserve: Bool
    /// The room that is kept.
    var reserve: Range<Int>?
    /// Secrets that may still stand in lines that were written before.
    fileprivate var unreplaced: [String] = []
    /// The side files that are there for the journal alone.
    fileprivate var ownSideFiles: Set<String> = []
    fileprivate var redaction = Redaction(continuing: [])
    fileprivate var rewrites = false
    fileprivate var isBegun = false
    fileprivate var isUnfinished = false
    var incompleteCount = 0
    fileprivate var lines: [Line] = []
    /// The places of parts, by the numbers of their requests.
    fileprivate var parts: [Int: Range<Int>] = [:]
    fileprivate var withdrawnBytes = 0
    /// The lines that were asked for secrets, all in one filter: a secret that is in none of them
    /// costs the same whatever their number.
    fileprivate var seen = NGramFilter(words: seenWords)
    fileprivate static let seenWords = 1 << 17
    /// The secrets that were learnt, in their order.
    fileprivate var learned: [String] = []
    fileprivate var problem: (any Error)?
    /// The state of the cassette's file that the recording began with, or wrote last.
    var known: FileStamp
  }

  fileprivate typealias Mark = JournalFormat.Mark

  /// A line that is written.
  fileprivate struct Line {
    let place: Range<Int>
    let interaction: Interaction
    let mark: Mark
    /// Whether the filter of all lines knows it.
    var isSeen = false
    var filter: NGramFilter?

    /// Tells whether one of the words may be here. Most lines are never asked, so what answers is
    /// made when it is wanted.
    mutating func mayContain(anyOf words: [String]) -> Bool {
      let filter = filter ?? NGramFilter(interaction)
      self.filter = filter
      return words.contains(where: filter.mayContain)
    }
  }

  /// An interaction that does not stand in the journal, and why.
  fileprivate struct Loss {
    let interaction: Interaction
    let error: any Error

    /// A line about it, without secrets.
    var line: String { "\(interaction.request.method) \(interaction.request.url): \(error)" }
  }

  /// Opens the journal of a cassette, for this process alone.
  ///
  /// - Parameters:
  ///   - cassette: The cassette's file.
  ///   - losing: Called at once for each interaction that could not be written, with one line
  ///     without secrets; the recording itself goes on with it.
  /// - Throws: `FileError` where the file cannot be written, or where another process records onto
  ///   the cassette.
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
    try self.init(Self.file(besides: cassette), besides: cassette, by: calls, losing: losing)
  }

  /// Opens a further journal of a cassette that several record at once, by its own name. Bodies
  /// that are larger than `lineBytesMax` stand in no line: they are side files of the cassette at
  /// once.
  package convenience init(
    _ file: URL,
    besides cassette: URL,
    bodiesInLines lineBytesMax: Int = Body.openedBytesMax
  ) throws(FileError) {
    try self.init(file, besides: cassette, bodiesInLines: lineBytesMax, keepsReserve: false)
  }

  /// Opens a journal. What the cassette has in a side file is one from the start, and needs no room
  /// for a second.
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

  /// Adds the interactions of earlier recordings that were cut short to a cassette, and writes the
  /// cassette if there are any.
  ///
  /// - Parameters:
  ///   - cassette: The contents of the cassette's file.
  ///   - goesOn: True where a recording follows, which must end before the cassette counts as
  ///     whole: until then, whatever ends the process, the journal says that it does not
  ///     (``isUnfinished``).
  /// - Returns: The contents of the file now, and the number of interactions that were taken up.
  /// - Throws: `FormatError` for a journal that cannot be parsed, `FileError` for a cassette that
  ///   cannot be written; the journal then stays.
  public func takeUp(
    onto cassette: Cassette,
    goesOn: Bool = false
  ) throws -> (cassette: Cassette, count: Int) {
    var run = RunRecordings()
    return try takeUp(onto: cassette, goesOn: goesOn, beside: &run)
  }

  /// Returns the same for one of several journals that a run has left, which replace nothing of
  /// each other.
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
      let count = JournalFormat.count(of: sessions, in: folded, beside: base)
      state.incompleteCount = folded.newParts(beside: base)
      state.isUnfinished = count > 0 || sessions.contains { $0.isUnfinished }
      // The cassette is half a recording until one onto it comes to its end, and looks whole.
      if goesOn, state.isUnfinished { _ = try state.page?.append(JournalFormat.unfinished) }
      return (folded, count)
    }
  }

  /// Writes the cassette that a recording has come to, and removes the journal.
  ///
  /// Where the disk has no room for a second copy of what is journalled, the cassette is written
  /// interaction by interaction, and each takes the room that its line has given back; whatever
  /// ends the process meanwhile, all of it is there for the next recording. What is not journalled
  /// then, and bodies that have no room in any case, are left out.
  ///
  /// - Parameters:
  ///   - cassette: The whole of it.
  ///   - orders: The numbers of the requests that are new on it, which are its last ones.
  /// - Returns: How many interactions stand on it, and what was left out for want of room, in
  ///   words.
  /// - Throws: `FileError` where it cannot be written; then the journal stays.
  package func end(
    with cassette: Cassette,
    orders: [Int]
  ) throws -> (count: Int, leftOut: [String]) {
    // In one hold of the lock: nothing may be written behind the end.
    try state.withLock { state in
      defer { state.leave { $0.close() } }
      let result = try state.write(
        cassette,
        orders: orders,
        lines: state.lines.map { JournalRoom.Line(order: $0.mark.order, place: $0.place) },
        to: cassetteFile
      )
      state.leave { $0.remove() }
      return result
    }
  }

  /// Removes the journal after its recording has ended.
  public func remove() { state.withLock { state in state.leave { $0.remove() } } }

  /// Removes what came since the last recording that was cut short, if there was one: the cassette
  /// still holds only a part of it. Otherwise removes the journal.
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
        // A page that cannot say so is removed with the others.
      }
      state.leave { $0.remove() }
      // Bodies that no line could hold are thrown away with them, when nothing names them any more.
      for name in state.ownSideFiles { state.sideFiles.remove(name) }
      state.ownSideFiles = []
    }
  }

  /// Whether the cassette holds a part of a recording that has not ended; known once it was
  /// taken up.
  public var isUnfinished: Bool { state.withLock { $0.isUnfinished } }

  /// The number of taken up interactions that a kill has cut, so that they are incomplete.
  package var incompleteCount: Int { state.withLock { $0.incompleteCount } }

  /// Closes the journal and leaves it for the next recording, or removes it if it is empty.
  public func close() { state.withLock { state in state.leave { $0.close() } } }

  /// The error of the first interaction that could not be written to the journal; the recording
  /// itself goes on with it.
  public var problem: (any Error)? { state.withLock { $0.problem } }

  /// Goes on counting secrets where a cassette ends.
  func begin(after cassette: Cassette, _ rules: RedactionRules, rewrites: Bool) {
    state.withLock { state in
      // Also where the cassette is made anew: what is taken up may stand beside the old.
      state.redaction = Redaction(continuing: cassette.interactions, rules: rules)
      state.rewrites = rewrites
      (state.isBegun, state.reserve) = (false, nil)
      (state.lines, state.unreplaced) = ([], [])
      state.parts = [:]
    }
  }

  /// Writes an interaction down, in place of the part of it that was written before. A part is one
  /// that has not come to its end.
  func append(_ interaction: Interaction, order: Int, isPart: Bool = false) {
    let mark = Mark(order: order, isPart: isPart)
    let losses =
      interaction.bodyBytes > Self.lockedBytesMax
      ? appendApart(interaction, mark) : state.withLock { $0.append(interaction, mark) }
    if let losing { for loss in losses { losing(loss.line) } }
  }

  /// Writes a large interaction down; answers what does not stand in the journal for that. Its
  /// secrets are looked for outside the lock, so that whoever writes a small one down does not wait
  /// for them.
  private func appendApart(_ interaction: Interaction, _ mark: Mark) -> [Loss] {
    var losses: [Loss] = []
    for _ in 0..<Self.attemptsMax {
      // Nothing is written any more if there is no page.
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
          // What it has found by itself may be taken out in fewer places than others have found.
          !own.contains(word)
            || sought[word]?.reach != state.redaction.pseudonyms.sought[word]?.reach
        }
        if filters.contains(where: { words.contains(where: $0.mayContain) }) { return nil }
        for filter in seen { state.seen.formUnion(filter) }
        return state.write(lines, mark, isSeen: true)
      }
      if let written { return losses + written }
    }
    // There is no end of what others teach.
    return losses + state.withLock { $0.append(interaction, mark) }
  }
}

extension RecordingJournal.State {
  /// Ends the use of the page, if it is in use.
  fileprivate mutating func leave(_ end: (inout JournalPage) -> Void) {
    if var page { end(&page) }
    page = nil
  }

  /// Writes an interaction down; answers what does not stand in the journal for that.
  fileprivate mutating func append(_ interaction: Interaction, _ mark: JournalFormat.Mark)
    -> [RecordingJournal.Loss]
  {
    page == nil ? [] : write(redaction.redact([interaction]), mark)
  }

  /// Writes what was looked through down, behind the overwriting of what repeats a secret of it;
  /// answers what does not stand in the journal for that.
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
      // Nothing is written while a secret stands there that could not be overwritten.
      if !mark.isPart { losses += kept.map { .init(interaction: $0, error: error) } }
    }
    if let first = losses.first { problem = problem ?? first.error }
    return losses
  }

  /// Writes an interaction down, and then withdraws the part of it that stands there. A part that
  /// has no room is no loss while its exchange goes on, and the part before it stays.
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
        // The part before is more than nothing.
        return
      }
    }
    guard let earlier, let index = lines.lastIndex(where: { $0.place == earlier }) else { return }
    // One that cannot be overwritten is still searched, and skipped by the next recording.
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
    let (aside, new) = try keepAside(interaction.bodies)
    do {
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

  /// Writes the first line of a recording, and keeps room for its end where there is any.
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

  /// Keeps bodies that are too large for a line, and answers their names, and those of the files
  /// that were not there before.
  private mutating func keepAside(
    _ bodies: [Body]
  ) throws -> (all: [(body: Body, name: String)], new: [String]) {
    var aside: [(body: Body, name: String)] = []
    var new: [String] = []
    for body in bodies where body.count > lineBytesMax {
      do {
        guard let (name, isNew) = try sideFiles.kept(body) else { continue }
        if isNew {
          ownSideFiles.insert(name)
          new.append(name)
        }
        aside.append((body, name))
      } catch {
        remove(new)
        throw error
      }
    }
    return (aside, new)
  }

  private mutating func remove(_ names: [String]) {
    for name in names where ownSideFiles.remove(name) != nil { sideFiles.remove(name) }
  }

  /// Removes the side files of a line that no longer stands there: what is too large for a line is
  /// as little to stay as the line, unless another names it, too.
  private mutating func removeSideFiles(
    of line: RecordingJournal.Line,
    beside kept: [Interaction] = []
  ) {
    let large = line.interaction.bodies.filter { $0.count > lineBytesMax }
    guard !large.isEmpty else { return }
    let staying = (lines.map(\.interaction) + kept).flatMap(\.bodies)
    remove(large.filter { !staying.contains($0) }.map(\.digest))
  }

  /// Overwrites what repeats a secret that was not known when it was written, and writes it anew
  /// without, if it can be written so.
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

  /// Takes over what was found out outside the lock, and overwrites what repeats a secret of it.
  ///
  /// - Returns: The ordinals that others have given away since, and what they are instead; and what
  ///   does not stand in the journal any more.
  fileprivate mutating func adopt(
    _ found: Redaction,
    since start: Redaction
  ) -> (ordinals: [Pseudonym: Int], losses: [RecordingJournal.Loss]) {
    let ordinals = redaction.adopt(found, since: start)
    return (ordinals, write([], JournalFormat.Mark(order: 0, isPart: true)))
  }
}
