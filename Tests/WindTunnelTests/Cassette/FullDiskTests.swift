import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel

/// Recordings on a disk that is full, is failing or cannot be written any more.
@Suite struct FullDiskTests {
  private let disk: SmallDisk

  init() throws { disk = try SmallDisk() }

  private static func interaction(_ path: String, _ bytes: Int = 20) -> Interaction {
    let body = #"{"path":"\#(path)","filler":"\#(String(repeating: "x", count: bytes))"}"#
    var answer = Response(headers: ["Content-Type": "application/json"], body: Body(body))
    answer.head.headers["Date"] = "Mon, 01 Jan 2024 00:00:00 GMT"
    return Interaction(Request("GET", RequestURL("https://api.example.test\(path)")), answer)
  }

  /// What writing failed with, and whether the file could be cut meanwhile.
  private static let failures: [(code: Int32, cuts: Bool)] = [
    (ENOSPC, true), (EDQUOT, true), (EIO, false), (EROFS, false),
  ]

  @Test(.bothTiers, arguments: failures)
  func `a line that fails at any byte leaves nothing, is named, and the next one stands`(
    code: Int32,
    cuts: Bool
  ) throws {
    let line = try JournalFormat.line(Self.interaction("/b"), .init(order: 2)).count
    // What differs from byte to byte does not differ from error to error.
    let places = stride(from: 0, to: line, by: Tier.includesWorld || code == ENOSPC ? 1 : 16)
    for bytes in places + [line] {
      let disk = try SmallDisk()
      disk.state.withLock { $0.cutsWhileFailing = cuts }
      let told = Locked<[String]>([])
      let journal = try RecordingJournal(besides: disk.file, by: disk.calls) { line in
        told.withLock { $0.append(line) }
      }
      let deck = Deck(Cassette(), mode: .newEpisodes, recordingJournal: journal)
      deck.record(Self.interaction("/a"))
      disk.state.withLock { $0.failure = (bytes, code) }
      deck.record(Self.interaction("/b"))
      let isWhole = bytes == line
      let reason = String(cString: strerror(code))
      expectEqual(
        told.withLock { $0 },
        (isWhole
          ? []
          : [
            "GET https://api.example.test/b: \(journal.file.relativePath) cannot be written: "
              + "\(reason)."
          ])
      )
      disk.state.withLock { $0.failure = nil }
      deck.record(Self.interaction("/c"))
      journal.close()
      let left = try Cassette.withLeftovers(disk.file).cassette.interactions
      let paths = left.map(\.request.url.path)
      expectEqual(paths, (isWhole ? ["/a", "/b", "/c"] : ["/a", "/c"]), "\(bytes)")
    }
  }

  #if os(Linux)
    @Test func `a journal that was closed is over, though a child that is being made still has it`()
      throws
    {
      let disk = try SmallDisk()
      let journal = try RecordingJournal(besides: disk.file, by: disk.calls)
      let deck = Deck(Cassette(), mode: .newEpisodes, recordingJournal: journal)
      let interaction = Self.interaction("/a")
      deck.record(interaction)
      // Until its program begins a child has what its parent has, as a second descriptor has it.
      let folder = "/proc/self/fd"
      let own = try FileManager.default.contentsOfDirectory(atPath: folder).first { name in
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        return path?.hasSuffix(
          "\(disk.folder.url.lastPathComponent)/\(journal.file.lastPathComponent)"
        )
          == true
      }
      let second = dup(try #require(own.flatMap { Int32($0) }))
      defer { close(second) }
      journal.close()
      try expectEqual(Cassette.withLeftovers(disk.file).cassette, Cassette([interaction]))
    }
  #endif

  @Test func `what a failed write left is cut off before anything else is written`() throws {
    disk.state.withLock { $0.cutsWhileFailing = false }
    let journal = try RecordingJournal(besides: disk.file, by: disk.calls)
    let deck = Deck(Cassette(), mode: .newEpisodes, recordingJournal: journal)
    deck.record(Self.interaction("/a"))
    // A disk that is read-only from the midst of a line on, to the end.
    disk.state.withLock { $0.failure = (100, EROFS) }
    for path in ["/b", "/c", "/d"] { deck.record(Self.interaction(path)) }
    let size = try Data(contentsOf: journal.file).count
    journal.close()
    try expectEqual(Data(contentsOf: journal.file).count, size)
    try expectEqual(Cassette.withLeftovers(disk.file).cassette, Cassette([Self.interaction("/a")]))
  }

  /// What was on a cassette before it is recorded onto.
  enum Before: CaseIterable {
    case nothing, cassette, handwritten, madeAnew

    var tape: Cassette {
      self == .nothing ? Cassette() : Cassette([interaction("/old"), interaction("/older")])
    }

    var mode: RecordMode { self == .madeAnew ? .rewrite : .newEpisodes }
  }

  private static let paths = (0..<14).map { "/new/\($0)" }
  private static let new = paths.map { interaction($0, 5000) }

  /// Records onto a cassette, with answers that come out of order.
  private func record(_ before: Before, on disk: SmallDisk) throws -> (Deck, RecordingJournal) {
    if before != .nothing { try before.tape.write(to: disk.file) }
    if before == .handwritten {
      let text = try String(contentsOf: disk.file, encoding: .utf8)
      try Data(text.replacing("      \"request\"", with: "  \"request\"").utf8).write(to: disk.file)
    }
    let journal = try RecordingJournal(besides: disk.file, by: disk.calls)
    let tape = try journal.takeUp(onto: before.tape, goesOn: true).cassette
    let deck = Deck(tape, mode: before.mode, recordingJournal: journal)
    let outcomes = Self.new.map { deck.decide($0.request) }
    // Neighbours change places, and the first of all comes last.
    let order = stride(from: 1, to: Self.new.count - 1, by: 2).flatMap { [$0 + 1, $0] }
    for index in order + [Self.new.count - 1, 0] {
      deck.keep(Self.new[index], for: outcomes[index])
    }
    expectNil(journal.problem)
    return (deck, journal)
  }

  private func end(_ deck: Deck, _ journal: RecordingJournal) throws -> Int {
    let (recorded, orders, _) = deck.numbered()
    let (count, leftOut) = try journal.end(with: recorded, orders: orders)
    #expect(leftOut.isEmpty)
    return count
  }

  @Test(arguments: Before.allCases)
  func `the end needs no room for a second copy of what is journalled`(before: Before) throws {
    let (deck, journal) = try record(before, on: disk)
    let expected = deck.recorded().cassette
    // Of what was written by hand, the old part is written anew.
    let room = before == .handwritten ? 6 << 10 : 0
    let used = disk.used
    disk.state.withLock { $0.bytesMax = used + room }
    try expectEqual(end(deck, journal), expected.interactions.count)
    try expectEqual(disk.folder.names, ["a.json"])
    try expectEqual(Cassette(contentsOf: disk.file), expected)
  }

  @Test func `where there is room for it, the cassette is laid out as ever`() throws {
    let (deck, journal) = try record(.cassette, on: disk)
    let expected = deck.recorded().cassette
    let used = disk.used
    disk.state.withLock { $0.bytesMax = used + expected.data().count / 2 }
    _ = try end(deck, journal)
    try expectEqual(Data(contentsOf: disk.file), expected.data())
  }

  @Test func `where there is no room at all, everything stays as it was`() throws {
    let (deck, journal) = try record(.cassette, on: disk)
    let text = try Data(contentsOf: disk.file)
    disk.state.withLock { $0.bytesMax = text.count }
    let words = refusal { try end(deck, journal) }
    #expect(words.hasSuffix("a.json cannot be written: No space left on device."), "\(words)")
    journal.close()
    try expectEqual(disk.folder.names, ["a.json", "a.json.journal"])
    try expectEqual(Data(contentsOf: disk.file), text)
    let (cassette, count, _) = try Cassette.withLeftovers(disk.file)
    expectEqual(cassette, Cassette(Before.cassette.tape.interactions + Self.new))
    expectEqual(count, Self.new.count)
  }

  @Test(.world, arguments: Before.allCases, [false, true])
  func `a kill at any step of the end loses nothing and doubles nothing`(
    before: Before,
    hasRoom: Bool
  ) throws {
    var steps = 0
    while true {
      let disk = try SmallDisk()
      let (deck, journal) = try record(before, on: disk)
      let used = disk.used
      disk.state.withLock { state in
        state.bytesMax = hasRoom ? Int.max : used + (6 << 10)
        state.callsMax = state.calls + steps
      }
      // Why it ends is that it is killed.
      let isDone = (try? end(deck, journal)) != nil
      journal.close()
      let isWhole = isDone && disk.state.withLock { $0.calls <= $0.callsMax }
      let check = { (cassette: Cassette) in
        let old = Set(before.tape.interactions)
        expectEqual(cassette.interactions.filter { !old.contains($0) }, Self.new, "step \(steps)")
        // What was to be replaced may have been.
        if before != .madeAnew {
          expectEqual(cassette.interactions.filter(old.contains), before.tape.interactions)
        }
      }
      check(try Cassette.withLeftovers(disk.file).cassette)
      let next = try RecordingJournal(besides: disk.file)
      let exists = FileManager.default.fileExists(atPath: disk.file.path)
      let tape = exists ? try Cassette(contentsOf: disk.file) : Cassette()
      check(try next.takeUp(onto: tape).cassette)
      next.close()
      check(try Cassette(contentsOf: disk.file))
      try expectEqual(disk.folder.names, ["a.json"], "step \(steps)")
      if isWhole { break }
      steps += 1
      try #require(steps < 1000)
    }
    #expect(steps > (hasRoom ? 3 : 30))
  }

  @Test(arguments: [[], ["/a", "/b"]])
  func `a kill between a side file and its line takes that one alone, and leaves no file`(
    paths: [String]
  ) throws {
    let tape = Cassette([Self.interaction("/old")])
    try tape.write(to: disk.file)
    let journal = try RecordingJournal(besides: disk.file, by: disk.calls)
    let deck = Deck(tape, mode: .newEpisodes, recordingJournal: journal)
    for path in paths { deck.record(Self.interaction(path)) }
    let big = Self.interaction("/big", SideFiles.bodyBytesMin)
    // The journal begins with its first line.
    disk.state.withLock { $0.callsMax = $0.calls + (paths.isEmpty ? 1 : 0) }
    deck.record(big)
    journal.close()
    let bodies = disk.folder.file("a.bodies")
    // The file of the body, which the dead process cannot remove.
    try FileManager.default.createDirectory(at: bodies, withIntermediateDirectories: true)
    let data = big.response?.body.data ?? Data()
    try data.write(to: bodies.appendingPathComponent(SHA256.hexadecimal(data)))
    try Data("half".utf8).write(
      to: bodies.appendingPathComponent(".\(SHA256.hexadecimal(data)).\(UUID().uuidString)")
    )
    let expected = Cassette(tape.interactions + paths.map { Self.interaction($0) })
    try expectEqual(Cassette.withLeftovers(disk.file).cassette, expected)
    let next = try RecordingJournal(besides: disk.file)
    try expectEqual(next.takeUp(onto: tape).cassette, expected)
    next.close()
    try expectEqual(disk.folder.names, ["a.json"])
  }

  @Test func `a journal with bodies in side files is read by whoever plays or looks`() throws {
    let journal = try RecordingJournal(besides: disk.file)
    let deck = Deck(Cassette(), mode: .newEpisodes, recordingJournal: journal)
    let big = Self.interaction("/big", SideFiles.bodyBytesMin)
    deck.record(big)
    journal.close()
    #expect(try Data(contentsOf: journal.file).count < 40_000)
    try expectEqual(Cassette.withLeftovers(disk.file).cassette, Cassette([big]))
  }

  @Test func `piece by piece the text of a cassette is the same`() throws {
    for file in try shipped("format") + shipped("examples") {
      // Those that do not read are other tests'.
      guard let cassette = try? Cassette(contentsOf: file) else { continue }
      let next = disk.folder.file(file.lastPathComponent)
      try cassette.write(to: next)
      let parts = try CassetteParts(cassette, new: [], in: SideFiles(of: next))
      try expectEqual(parts.text(), Data(contentsOf: next), "\(file.lastPathComponent)")
    }
  }
}
