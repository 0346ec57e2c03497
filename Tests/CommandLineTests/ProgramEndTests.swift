import Programs
import TestSupport

/// A wait that ends before its program does is an error.
@Suite(.timeLimit(.minutes(5))) struct ProgramEndTests {
  /// A program that has printed a word on each stream and then runs on.
  private static let endless = ["/bin/sh", "-c", "echo words >&2; echo begun; exec sleep 1000"]

  @Test func `a cancelled run is an error with the output so far`() async throws {
    let program = try StartedProgram(Self.endless)
    try program.start()
    try await expectEqual(program.line(), "begun")
    let waiting = Task { try await program.end() }
    waiting.cancel()
    let error = await #expect(throws: UnfinishedProgram.self) { try await waiting.value }
    #expect(
      error?.description
        == "/bin/sh -c echo words >&2; echo begun; exec sleep 1000 did not end: the task that waited "
        + #"for its end was cancelled. On standard output so far: "begun\n". On standard error so far: "#
        + #""words\n"."#
    )
    await #expect(throws: UnfinishedProgram.self) { try await program.end() }
  }

  @Test func `a cancelled wait for a line is no end of lines`() async throws {
    let program = try StartedProgram(Self.endless)
    try program.start()
    let waiting = Task {
      _ = try await program.line()
      return try await program.line()
    }
    waiting.cancel()
    await #expect(throws: UnfinishedProgram.self) { try await waiting.value }
  }

  @Test func `a wait of a cancelled task is no empty success`() async throws {
    let waiting = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Scratch().run(Self.endless, isTool: false)
    }
    await #expect(throws: UnfinishedProgram.self) { try await waiting.value }
  }

  @Test func `a signal is a negative code, and a program that is not there an error`() async throws
  {
    let run = try await StartedProgram.run(["/bin/sh", "-c", "echo out; kill -KILL $$"])
    expectEqual(run, ProgramRun(code: -SIGKILL, out: "out\n", err: ""))
    await #expect(throws: UnfinishedProgram.self) { try await StartedProgram.run(["/nowhere"]) }
  }

  @Test func `all is read that is printed, also by a program that was left behind`() async throws {
    let script =
      "head -c 300000 /dev/zero | tr '\\0' x; echo; (read line; echo late) < '\(#filePath)' &"
    let run = try await StartedProgram.run(["/bin/sh", "-c", script])
    expectEqual(run.out, String(repeating: "x", count: 300_000) + "\nlate\n")
  }

  @Test func `bytes that are no text are an error`() async throws {
    let words = ["/bin/sh", "-c", "printf '\\377'"]
    let error = await #expect(throws: UnfinishedProgram.self) {
      try await StartedProgram.run(words)
    }
    #expect(error?.reason.hasSuffix("bytes that are not UTF-8") == true)
  }
}
