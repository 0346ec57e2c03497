import Foundation
import TestSupport
import Testing

/// The search by its exit codes and files.
@Suite(.timeLimit(.minutes(5))) struct SearchCommandTests {
  private static let few = ["search", "--orders", "2", "--depth", "1"]

  @Test(
    .referenceClient,
    arguments: [(["--allow", "nonsense"], 64), (["--scenarios", "file/x"], 73)]
      as [([String], Int32)]
  )
  func `bad input is told in a sentence, before anything is flown`(
    words: [String],
    code: Int32
  ) async throws {
    let scratch = try Scratch()
    try Data().write(to: scratch.folder.appending(path: "file"))
    let run = try await Program.run(["search"] + words, in: scratch)
    expectEqual(run.code, code, "\(run.err)")
    expectEqual(run.out, "")
    #expect(run.err.split(separator: "\n").count <= 2)
    #expect(run.err.hasPrefix("windtunnel: "))
  }

  @Test(.referenceClient, .enabled(if: Self.isVirtual, "Virtual time is not to be had here."))
  func `what is found ends with 99, and stands in files`() async throws {
    let scratch = try Scratch()
    let run = try await Program.run(
      Self.few + [
        "--restarts", "--exactly-once", "POST /payments", "--finds", "1", "--fault-sets", "1000",
        "--scenarios", "found", "--report", "c.json", "--report", "c.html", "--report", "c.txt",
      ],
      in: scratch
    )
    expectEqual(run.code, 99, "\(run.err)")
    #expect(run.out.contains("1. exactlyOnce(POST /payments)"))
    #expect(run.err.contains("windtunnel: gate \"finds == 0\" failed"))
    let names = try FileManager.default.contentsOfDirectory(
      atPath: scratch.folder.appending(path: "found").path
    )
    expectEqual(names, ["exactlyonce-post-payments-1.json"])
    let name = try #require(names.first)
    let shown = try await Program.run("scenarios", "show", "found/\(name)", in: scratch)
    expectEqual(shown.code, 0, "\(shown.err)")
    // The same is nothing new.
    let again = try await Program.run(
      Self.few + [
        "--restarts", "--exactly-once", "POST /payments", "--finds", "1", "--fault-sets", "1000",
        "--baseline", "c.json", "--gate", "newFinds == 0",
      ],
      in: scratch
    )
    expectEqual(again.code, 0, "\(again.err)")
  }

  @Test(.referenceClient, .enabled(if: Self.isVirtual, "Virtual time is not to be had here."))
  func `a gate that is not met ends with 99`() async throws {
    let scratch = try Scratch()
    let run = try await Program.run(
      "search",
      "--fault-sets",
      "20",
      "--orders",
      "0",
      "--gate",
      "searchedDepth >= 2",
      in: scratch
    )
    expectEqual(run.code, 99)
    #expect(run.out.contains("Nothing found; not all single things were tried"))
  }

  private static var isVirtual: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }
}
