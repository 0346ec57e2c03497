import TestSupport

/// The search by its exit codes and files.
@Suite(.timeLimit(.minutes(5))) struct SearchCommandTests {
  private static let few = ["search", "--orders", "2", "--depth", "1"]

  @Test(
    .referenceClient,
    arguments: [(["--allow", "nonsense"], 64), (["--scenarios", "file/x"], 73)]
      as [([String], Int32)]
  )
  func `invalid input is reported in one sentence, before the search runs`(
    words: [String],
    code: Int32
  ) async throws {
    let scratch = try Scratch()
    try Data().write(to: scratch.folder.appending(path: "file"))
    let run = try await scratch.run(["search"] + words).exits(code)
    expectEqual(run.out, "")
    #expect(run.err.split(separator: "\n").count <= 2)
    #expect(run.err.hasPrefix("windtunnel: "))
  }

  @Test(.referenceClient, .enabled(if: Self.isVirtual, "Virtual time is not to be had here."))
  func `a search with finds exits with 99 and writes them to files`() async throws {
    let scratch = try Scratch()
    let run = try await scratch.run(
      Self.few + [
        "--restarts", "--exactly-once", "POST /payments", "--finds", "1", "--fault-sets", "1000",
        "--scenarios", "found", "--report", "c.json", "--report", "c.txt",
      ]
    ).exits(99)
    #expect(run.out.contains("1. exactlyOnce(POST /payments)"))
    #expect(run.err.contains("windtunnel: gate \"finds == 0\" failed"))
    let names = try scratch.names(in: "found")
    expectEqual(names, ["exactlyonce-post-payments-1.json"])
    let name = try #require(names.first)
    try await scratch.run("scenarios show found/\(name)").exits(0)
    // The same is nothing new.
    try await scratch.run(
      Self.few + [
        "--restarts", "--exactly-once", "POST /payments", "--finds", "1", "--fault-sets", "1000",
        "--baseline", "c.json", "--gate", "newFinds == 0",
      ]
    ).exits(0)
  }

  @Test(.referenceClient, .enabled(if: Self.isVirtual, "Virtual time is not to be had here."))
  func `a gate that is not met ends with 99`() async throws {
    let scratch = try Scratch()
    let run = try await scratch.run(
      "search --fault-sets 20 --orders 0 --gate \("searchedDepth >= 2")"
    ).exits(99)
    #expect(run.out.contains("Nothing found; not all single faults were tried"))
  }

  private static var isVirtual: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }
}
