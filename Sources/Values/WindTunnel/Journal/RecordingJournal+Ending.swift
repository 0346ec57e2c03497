internal import Foundation

extension RecordingJournal.State {
  /// Writes the cassette with the interactions of a journal.
  mutating func write(
    _ folded: Cassette,
    of left: JournalLeft,
    onto base: Cassette,
    to file: URL
  ) throws {
    let sessions = left.sessions.filter { !$0.lines.isEmpty }
    let lines = sessions.flatMap(\.lines).sorted { $0.order < $1.order }
    // The line of an interaction is only known if all lines were added at the end.
    let isAdded =
      sessions.count == 1 && !sessions[0].rewrites && left.partial == nil
      && folded.interactions.count == base.interactions.count + lines.count
    reserve = isAdded ? sessions[0].reserve : nil
    defer { reserve = nil }
    let result = try write(
      folded,
      orders: isAdded ? lines.map(\.order) : [],
      lines: isAdded ? lines.map { JournalRoom.KeptLine(order: $0.order, place: $0.place) } : [],
      to: file,
      resuming: left.ending
    )
    // Everything in the journal, with its side files, must be on the cassette.
    if !result.leftOut.isEmpty {
      throw FileError.unwritable(file.relativePath, reason: result.leftOut[0])
    }
  }

  /// Writes a cassette of which the journal has a part.
  mutating func write(
    _ cassette: Cassette,
    orders: [Int],
    lines: [JournalRoom.KeptLine],
    to file: URL,
    resuming ending: JournalFormat.PendingCassette? = nil
  ) throws -> (count: Int, leftOut: [String]) {
    var parts = try CassetteParts(cassette, new: orders, in: sideFiles)
    let isAnyNew = parts.baseCount < parts.parts.count
    guard orders.isEmpty || isAnyNew else { return (parts.parts.count, parts.leftOut) }
    guard FileStamp(file) == known else {
      let advice =
        "; \(journal.lastPathComponent) has the recordings, and the next recording adds them"
      let reason = "it was changed in the meantime" + (isInPlace ? advice : "")
      throw FileError.unwritable(file.relativePath, reason: reason)
    }
    defer { known = FileStamp(file) }
    do throws(FileError) {
      try replace(file, parts, lines.count, resuming: ending)
    } catch {
      guard error.isNoRoom else { throw error }
      try writeWithoutRoom(&parts, lines, to: file, after: error)
    }
    sideFiles.removeAll(except: parts.fileNames)
    return (parts.parts.count, parts.leftOut)
  }

  private mutating func replace(
    _ file: URL,
    _ parts: CassetteParts,
    _ count: Int,
    resuming ending: JournalFormat.PendingCassette? = nil
  ) throws(FileError) {
    let text = parts.text()
    // Without this line, a kill would leave the journalled interactions twice, and nothing would be
    // missing. If an end was being written, its own numbers determine the contents of its part.
    try? mark(text, after: ending?.after ?? parts.baseCount, ending?.lines ?? count)
    try calls.replace(text, file)
  }

  private mutating func writeWithoutRoom(
    _ parts: inout CassetteParts,
    _ lines: [JournalRoom.KeptLine],
    to file: URL,
    after error: FileError
  ) throws {
    if parts.leaveOut(whereNot: Set(lines.map(\.order)), error) {
      do throws(FileError) {
        return try replace(file, parts, lines.count)
      } catch {
        guard error.isNoRoom else { throw error }
      }
    }
    let partial = JournalLeft.partial(of: journal)
    guard let reserve, lines.allSatisfy({ $0.place.lowerBound >= reserve.upperBound }),
      !FileManager.default.fileExists(atPath: partial.path),
      // The target of a link may be on another disk.
      try FileError.target(of: file).path == file.path
    else { throw error }
    let new = Set(parts.parts.compactMap(\.order))
    let needed = lines.filter { new.contains($0.order) }
    // A line that the cassette will not contain must not count as a missing one.
    for line in lines where !new.contains(line.order) { try page?.blank(line.place) }
    var room = JournalRoom(above: reserve.lowerBound + JournalFormat.endingBytes, needed)
    do throws(FileError) {
      try write(parts, &room, to: file, by: partial)
    } catch {
      guard error.isNoRoom, !FileManager.default.fileExists(atPath: partial.path) else {
        throw error
      }
      parts = try parts.packed()
      try write(parts, &room, to: file, by: partial)
    }
  }

  /// Writes the line about the cassette that is about to be written.
  private mutating func mark(_ text: Data, after: Int, _ count: Int) throws(FileError) {
    let ending = JournalFormat.PendingCassette(
      digest: SHA256.hexadecimal(text),
      after: after,
      lines: count
    )
    let line = JournalFormat.line(ending)
    if let reserve {
      try page?.write(line, over: reserve)
    } else {
      _ = try page?.append(line)
    }
  }

  /// Writes the cassette part by part, and releases the room of each line that it contains.
  ///
  /// If there is not enough room for that either, nothing changes, and there is no partial file.
  private mutating func write(
    _ parts: CassetteParts,
    _ room: inout JournalRoom,
    to file: URL,
    by partial: URL
  ) throws(FileError) {
    guard var page else { return }
    defer { self.page = page }
    let after = parts.baseCount
    try mark(parts.text(), after: after, parts.parts.count - after)
    try room.giveBack(of: &page)
    var next = try PartialCassette(partial, of: file, parts.text(after), after, by: calls)
    defer { next.close() }
    let rest = (next.count..<parts.parts.count).map { parts.bytes(at: $0).count }.reduce(0, +)
    let total = rest + (next.count == 0 ? parts.header.count : 0) + CassetteParts.closing.count
    try next.keepRoom(of: min(total, max(0, total - (page.length - room.floor)) + Self.slackBytes))
    if next.count == 0 { try next.append(parts.header) }
    while next.count < parts.parts.count {
      let part = parts.parts[next.count]
      try next.append(parts.bytes(at: next.count))
      next.count += 1
      guard let order = part.order else { continue }
      room.finish(order)
      try room.giveBack(of: &page)
    }
    try next.append(CassetteParts.closing)
    try next.finish()
  }

  /// The room for partly used blocks, and for lines that are out of order.
  private static let slackBytes = 16 << 10
}

/// The beginning of a cassette that is written part by part.
private struct PartialCassette {
  /// The number of interactions that have been written.
  var count = 0
  private let partial: URL
  private let file: URL
  private let calls: FileCalls
  private let descriptor: Int32
  /// Whether the file is that of the previous cassette.
  private let isBase: Bool
  private var length = 0

  /// Begins with the file of the cassette if it has exactly these contents; otherwise with an empty
  /// file.
  init(
    _ partial: URL,
    of file: URL,
    _ base: Data,
    _ baseCount: Int,
    by calls: FileCalls
  ) throws(FileError) {
    (self.partial, self.file, self.calls) = (partial, file, calls)
    // A file that cannot be read is not continued.
    isBase = baseCount > 0 && (try? Data(contentsOf: file)) == base
    if isBase {
      count = baseCount
      length = base.count - CassetteParts.closing.count
      guard calls.rename(file.path, partial.path) == 0 else { throw .refused(file, errno) }
    }
    var status = stat()
    let mode = stat(file.path, &status) == 0 ? status.st_mode & 0o777 : 0o666
    descriptor = open(partial.path, O_RDWR | O_CREAT | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      let code = errno
      if isBase { _ = calls.rename(partial.path, file.path) }
      throw .refused(file, code)
    }
  }

  func close() { closeFile(descriptor) }

  /// Reserves room for the remaining bytes; if there is not enough, restores the previous state.
  func keepRoom(of count: Int) throws(FileError) {
    do throws(FileError) {
      try calls.write([UInt8](repeating: 0, count: count), to: descriptor, at: length, of: file)
    } catch {
      if isBase {
        try calls.write(CassetteParts.closing, to: descriptor, at: length, of: file)
        guard calls.cut(descriptor, length + CassetteParts.closing.count) == 0,
          calls.rename(partial.path, file.path) == 0
        else { throw .refused(file, errno) }
      } else {
        _ = calls.remove(partial.path)
      }
      throw error
    }
  }

  mutating func append(_ bytes: [UInt8]) throws(FileError) {
    try calls.write(bytes, to: descriptor, at: length, of: file)
    length += bytes.count
  }

  /// Renames the file to the cassette.
  func finish() throws(FileError) {
    guard calls.cut(descriptor, length) == 0, calls.rename(partial.path, file.path) == 0 else {
      throw .refused(file, errno)
    }
  }
}

/// `close` under a name that no member shadows.
func closeFile(_ descriptor: Int32) { close(descriptor) }
