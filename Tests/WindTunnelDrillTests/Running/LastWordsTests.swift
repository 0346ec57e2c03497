import TestSupport

@testable import WindTunnelDrill

/// What a program says on standard error when it dies, and how long it waited for a processor.
@Suite(.timeLimit(.minutes(5))) struct LastWordsTests {
  @Test(arguments: [
    (2, "panic: runtime error: invalid memory address\n\ngoroutine 1 [running]:\n", true),
    (
      2, "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\n", true
    ),
    (101, "thread 'main' panicked at src/main.rs:3:5:\nindex out of bounds\n", true),
    // Said by whoever ends as it means to.
    (1, "panic: runtime error\n\ngoroutine 1 [running]:\n", false),
    (2, "panic: the disk is full\n", false), (2, "usage: client URL\n", false),
    (101, "status 101\n", false), (2, "", false),
  ])
  func `a panic is told by the code and the words together`(
    code: Int32,
    words: String,
    isPanic: Bool
  ) {
    expectEqual(LastWords.tellOfPanic(LastWords.signs(in: words), code: code), isPanic)
  }

  /// The calls of a program that is a line of shell.
  private static func calls(_ line: String) async throws -> [Observation] {
    try await ProgramStartTests.report(line).scenarios.first?.subjects.first?.observations ?? []
  }

  @Test func `a program that panics has crashed, and one that gives up has failed`() async throws {
    let panics = try await Self.calls(
      #"printf 'panic: no answer\n\ngoroutine 1 [running]:\nmain.main()\n' >&2; exit 2"#
    )
    #expect(!panics.isEmpty && panics.allSatisfy { $0.ending == .crashed })
    // The word comes first, and the stacks of all that runs may be long.
    let long = try await Self.calls(
      #"printf 'fatal error: deadlock\n\ngoroutine 1:\n' >&2; head -c 99999 /dev/zero >&2; exit 2"#
    )
    #expect(!long.isEmpty && long.allSatisfy { $0.ending == .crashed })
    let fails = try await Self.calls("echo 'no answer' >&2; exit 2")
    #expect(!fails.isEmpty && fails.allSatisfy { $0.ending == .failed("exit 2") })
  }

  @Test func `more words than are kept hold nobody up`() async throws {
    let calls = try await Self.calls("head -c 300000 /dev/zero | tr '\\0' 'x' >&2; exit 3")
    #expect(!calls.isEmpty && calls.allSatisfy { $0.ending == .failed("exit 3") })
  }
}
