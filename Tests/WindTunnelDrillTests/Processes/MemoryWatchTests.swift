import TestSupport

@testable import WindTunnelDrill

/// The look at a running program's memory, and what it is held against.
@Suite(.timeLimit(.minutes(5)), .python)
struct MemoryWatchTests {
  /// A program that holds as many megabytes more as each line of its input says, or none any more,
  /// and says so.
  private static let script = """
    import sys
    held = []
    for line in sys.stdin:
        count = int(line)
        if count: held.append(b"x" * (count << 20))
        else: held.clear()
        print("held", flush=True)
    """

  /// A program that runs, with its two ends.
  private struct Running {
    let process = SpawnedProcess()
    private let input = Pipe()
    private let output = Pipe()

    init() throws {
      process.executableURL = Executable.find("python3")
      process.arguments = ["-c", MemoryWatchTests.script]
      process.standardInput = input
      process.standardOutput = output
      try process.run()
    }

    /// Has it hold so many megabytes more, or none any more, and comes back when it does.
    func hold(_ megabytes: Int) throws {
      try input.fileHandleForWriting.write(contentsOf: Data("\(megabytes)\n".utf8))
      var said = Data()
      while said.last != UInt8(ascii: "\n") {
        let more = output.fileHandleForReading.availableData
        try #require(!more.isEmpty, "it has ended")
        said += more
      }
    }

    func end() throws {
      try input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
  }

  @Test(arguments: [true, false])
  func `what a program has before its first request is its own`(livesOn: Bool) throws {
    let running = try Running()
    let watch = MemoryWatch(running.process, livesOn: livesOn, growthMax: 32 << 20)
    try running.hold(64)
    // No answer can be the reason for it.
    #expect(!watch.look() && !watch.hasGrown)
    watch.noteBefore()
    #expect(!watch.look())
    try running.hold(16)
    #expect(!watch.look())
    try running.hold(64)
    #expect(watch.look())
    // It is told of once.
    #expect(!watch.look())
    let seen = try #require(watch.stop())
    #expect(seen.wasEnded)
    let before = try #require(seen.beforeBytes)
    #expect(before > 64 << 20)
    #expect(seen.peakBytes - before > 80 << 20)
    try running.end()
  }

  @Test func `a program that shrinks before its first request has grown by nothing`() throws {
    let running = try Running()
    let watch = MemoryWatch(running.process, livesOn: true, growthMax: 32 << 20)
    try running.hold(64)
    watch.look()
    try running.hold(0)
    watch.noteBefore()
    try running.hold(1)
    let seen = try #require(watch.stop())
    #expect(!seen.wasEnded && !watch.hasGrown)
    #expect(seen.peakBytes - (try #require(seen.beforeBytes)) < 32 << 20)
    try running.end()
  }
}
