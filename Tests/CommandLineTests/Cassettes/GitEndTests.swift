import TestSupport

/// A `git` that is killed in the middle says nothing about a commit.
@Suite(.timeLimit(.minutes(5))) struct GitEndTests {
  @Test(
    arguments: ["diff", "lint"],
    ["cat-file", "rev-parse", "diff --name-only --no-renames --diff"]
  )
  func `git that is killed is an error, and no commit without the file`(
    command: String,
    asked: String
  ) async throws {
    let scratch = try Scratch()
    try scratch.write(Texts.cassette, to: "a.json")
    try scratch.git("init", "--quiet")
    try scratch.git("add", ".")
    try scratch.git("commit", "--quiet", "--message", "one")
    try scratch.write(Texts.cassette.replacing("\"a\":1", with: "\"a\":2"), to: "a.json")
    try scratch.write(Texts.cassette, to: "b.json")
    try scratch.makeFolder("bin")
    let script = """
      #!/bin/sh
      case "$*" in "\(asked)"*) kill -KILL $$;; esac
      PATH="${PATH#*:}" exec git "$@"
      """
    try scratch.write(script, to: "bin/git")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755],
      ofItemAtPath: scratch.file("bin/git").path
    )
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let run = try await scratch.run(
      "cassette \(command) --git HEAD",
      with: ["PATH": "\(scratch.file("bin").path):\(path)"]
    )
    #expect(run.code == 70 && run.out.isEmpty, "\(run)")
    #expect(run.err.hasPrefix("windtunnel: git \(asked)"), "\(run)")
    #expect(run.err.hasSuffix(" was ended by a signal.\n"), "\(run)")
  }
}
