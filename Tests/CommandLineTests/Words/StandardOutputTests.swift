import TestSupport
import WindTunnelDrill

/// What becomes of answers that nobody can keep, and of those that nobody reads to their end.
@Suite(.timeLimit(.minutes(5))) struct StandardOutputTests {
  private static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")
  private static let full =
    "windtunnel: standard output cannot be written: No space left on device.\n"

  /// Runs the tool by a shell, which has the streams; `$0` is the tool.
  private static func shell(_ script: String, _ words: [String], in scratch: Scratch) async throws
    -> Program.Run
  {
    let tool = try Program.executable().path
    return try await scratch.run(["/bin/bash", "-c", script, tool] + words, isTool: false)
  }

  /// Where there is no virtual time there is no search, which is said on standard error.
  private static var searchCode: Int32 {
    #if os(Linux)
      0
    #else
      70
    #endif
  }

  /// A line of each command that prints, by the command's name; without a code: ``searchCode``.
  private static let lines = Result {
    let rows =
      try TestData.rows("printing-commands.json", count: 59) as [(String, [String], Int32?)]
    return rows.map { (command: $0.0, words: $0.1, code: $0.2 ?? searchCode) }
  }

  /// Commands that print nothing but on standard error.
  /// `reproduce` refuses the call of a client in Swift.
  private static let silent = ["cassette convert", "cassette merge", "reproduce"]
  /// Those that print where they listen, and then go on.
  private static let servers = ["serve", "record", "proxy", "dns"]

  private static let calm = line(
    "drill --calls 4 --rate 100 --scenario calm --subject urlsession --stage in-process"
  )

  private static func prepare() async throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write(Texts.cassette, to: "a.json")
    try scratch.write(Texts.cassette.replacing("\"a\":1", with: "\"a\":2"), to: "b.json")
    let token = "ghp_" + String(repeating: "aB3x", count: 9)
    try scratch.write(
      Texts.cassette.replacing("\"a\":1", with: "\"token\":\"\(token)\""),
      to: "secret.json"
    )
    try scratch.write(
      #"{"windtunnelDNS":1,"entries":[{"name":"*.test","addresses":["127.0.0.7"]}]}"#,
      to: "names.json"
    )
    try await drilled.value.write(to: scratch.file("drill.json"))
    return scratch
  }

  /// The report of a drill, for all tests.
  private static let drilled = Task {
    let scratch = try Scratch()
    let run = try await scratch.run(calm + ["--report", "drill.json"])
    try #require(run.code == 0, "\(run)")
    return try Data(contentsOf: scratch.file("drill.json"))
  }

  @Test func `every command is among those that are tried`() async throws {
    let help = try await Scratch().run("help all").out
    let list = help.components(separatedBy: "\n\n")[0].split(separator: "\n")
    let names = list.map { line in
      line.dropFirst(2).components(separatedBy: "  ")[0]
    }
    #expect(names.count > 20)
    let known = try Set(Self.lines.get().map(\.command) + Self.silent + Self.servers)
    for name in names { #expect(known.contains(name), "\(name)") }
  }

  @Test(.referenceClient, .enabled(if: hasFullDevice, "This system has no /dev/full."))
  func `an answer that cannot be written is exit 73 and a sentence, whatever the verdict`()
    async throws
  {
    let scratch = try await Self.prepare()
    for (_, words, _) in try Self.lines.get() {
      let run = try await Self.shell(#""$0" "$@" > /dev/full"#, words, in: scratch)
      expectEqual(run.code, 73, "\(words): \(run)")
      #expect(run.err.hasSuffix(Self.full), "\(words): \(run)")
    }
  }

  @Test(.referenceClient)
  func `a reader that closes its pipe changes neither messages nor exit codes`() async throws {
    let scratch = try await Self.prepare()
    for (_, words, code) in try Self.lines.get() {
      // The reader is gone before anything is printed.
      let script = #"exec 3> >(exec true); wait $!; exec "$0" "$@" >&3"#
      let run = try await Self.shell(script, words, in: scratch)
      expectEqual(run.code, code, "\(words): \(run)")
      let whole = try await scratch.run(words)
      // What is said of the weather has no end that differs, and of a pipe nothing is said.
      expectEqual(run.err, whole.err, "\(words)")
      expectEqual(whole.code, code, "\(words)")
      #expect(!whole.out.isEmpty, "\(words)")
    }
  }

  @Test func `a report is written where the table cannot be`() async throws {
    let scratch = try await Self.prepare()
    let words = Self.calm + ["--report", "kept.json", "--gate", "calls > 1000"]
    for (target, code) in [("/dev/full", 73), ("whole", 99)] as [(String, Int32)]
    where target == "whole" || Self.hasFullDevice {
      try await Self.shell(#""$0" "$@" > \#(target)"#, words, in: scratch).exits(code)
      #expect(try scratch.text("kept.json").contains("\"gate\": \"calls > 1000\""))
      try FileManager.default.removeItem(at: scratch.file("kept.json"))
    }
  }

  @Test(
    .enabled(if: hasFullDevice, "This system has no /dev/full."),
    arguments: [
      ["serve", "--cassette", "a.json"],
      ["record", "--upstream", "http://127.0.0.1:1", "--cassette", "new.json"],
      ["proxy"], ["dns", "--script", "names.json"],
    ]
  )
  func `a server that cannot print its address ends`(words: [String]) async throws {
    let scratch = try await Self.prepare()
    let run = try await Self.shell(#""$0" "$@" > /dev/full"#, words, in: scratch)
    #expect(run.code == 73 && run.err == Self.full, "\(run)")
  }

  @Test(.referenceClient) func `a stream that is closed is no file's number`() async throws {
    let scratch = try await Self.prepare()
    try FileManager.default.copyItem(at: scratch.file("a.json"), to: scratch.file("c.json"))
    for (_, words, code) in try Self.lines.get() {
      let run = try await Self.shell(#""$0" "$@" >&- 2>&-"#, words, in: scratch)
      expectEqual(run.code, code, "\(words): \(run)")
    }
    try expectEqual(scratch.text("a.json"), Texts.cassette)
  }

  @Test func `what a full pipe does not take at once is written when it does`() async throws {
    let scratch = try Scratch()
    let body = String(repeating: "0123456789abcdef", count: 1 << 17)
    try scratch.write(
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/a"},"response":{"text":"\#(body)"}}]}"#,
      to: "large.json"
    )
    let pipe = Pipe()
    // Whoever shares a pipe may have it so, and a write then fails instead of waiting.
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    try #require(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
    let process = SpawnedProcess()
    process.executableURL = try Program.executable()
    process.arguments = ["cassette", "show", scratch.file("large.json").path, "--number", "1"]
    process.standardOutput = pipe
    try process.run()
    var text = Data()
    while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty { text += data }
    process.waitUntilExit()
    expectEqual(process.terminationStatus, 0)
    #expect(String(decoding: text, as: UTF8.self).hasSuffix("\n\(body)\n"))
  }

  @Test func `a program that is started hears of a broken pipe as ever`() async throws {
    let scratch = try Scratch()
    // `yes` would go on for ever where the signal is ignored and the failed write is not looked at.
    let words =
      line("drill --scenario calm --subject exec --calls 1 --report drill.json -- bash -c")
      + [
        "trap -p PIPE > traps; yes | head -n 1 > /dev/null; echo ${PIPESTATUS[0]} > status",
        "{url}",
      ]
    let run = try await scratch.run(words)
    try expectEqual(scratch.text("status"), "141\n", "\(run)")
    try expectEqual(scratch.text("traps"), "")
  }
}
