import TestSupport

@testable import WindTunnelDrill

/// A client of the self-test whose process ends badly has not seen what was asked.
@Suite(.timeLimit(.minutes(5))) struct SelfTestClientTests {
  @Test func `a curl that is killed is no pass, and no machine without curl`() async throws {
    let scratch = try Scratch()
    try scratch.write("#!/bin/sh\nkill -SEGV $$\n", to: "curl")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755],
      ofItemAtPath: scratch.file("curl").path
    )
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let run = try await scratch.run(
      "faults selftest --fault close-after-request",
      with: ["PATH": "\(scratch.folder.path):\(path)"]
    ).exits(1)
    #expect(run.out.contains("      curl: 139, expected "), "\(run)")
  }

  @Test func `a session's process without a word is a crash`() async throws {
    let silent = try #require(Executable.find("true"))
    let seen = await SessionProbe.look(at: "http://127.0.0.1:1/", by: silent, [])
    expectEqual(seen?.sight, .crash)
  }

  @Test func `a session's process that cannot be started is named`() async throws {
    let test = SelfTest(executable: URL(filePath: "/nowhere/at/all"), arguments: [])
    let rows = await test.run([try #require(CatalogueRow.named("close-after-request"))])
    #expect(rows[0].unseenBy.contains { $0.hasPrefix("URLSession's process") }, "\(rows)")
  }
}
