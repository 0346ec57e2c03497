import TestSupport

@testable import windtunnel_cli

/// The tool's code in this process does and prints what the built tool does and prints, to the byte.
@Suite(.timeLimit(.minutes(5))) struct SameAsProcessTests {
  private static func prepare() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.makeFolder("in")
    for name in ["a.json", "in/c.json"] { try scratch.write(Texts.cassette, to: name) }
    try scratch.git("init", "--quiet")
    try scratch.git("add", ".")
    try scratch.git("commit", "--quiet", "--message", "one")
    try scratch.write(Texts.cassette.replacing("\"a\":1", with: "\"a\":2"), to: "b.json")
    let token = "ghp_" + String(repeating: "aB3x", count: 9)
    try scratch.write(
      Texts.cassette.replacing("\"a\":1", with: "\"token\":\"\(token)\""),
      to: "secret.json"
    )
    try scratch.write(#"{"match": 1, "ignoreQuery": ["user"]}"#, to: "match.json")
    try scratch.write(#"{"windtunnelScenario":1,"name":"rain","ruls":[]}"#, to: "rain.json")
    return scratch
  }

  /// The names and contents of all files, without those of git and of streams.
  private static func files(in scratch: Scratch) throws -> [String: Data] {
    let names =
      FileManager.default.enumerator(atPath: scratch.folder.path)?
      .compactMap { $0 as? String }.filter { !$0.hasPrefix(".") } ?? []
    return names.reduce(into: [:]) { files, name in
      files[name] = FileManager.default.contents(atPath: scratch.file(name).path)
    }
  }

  @Test(arguments: try TestData.rows("same-as-process.json", count: 46) as [String])
  func `a command line is the same in this process and in its own`(line: String) async throws {
    let (here, there) = (try Self.prepare(), try Scratch())
    // A copy, which has the same commit.
    try FileManager.default.removeItem(at: there.folder)
    try FileManager.default.copyItem(at: here.folder, to: there.folder)
    func words(_ scratch: Scratch) -> [String] {
      line.split(separator: " ").map { word in
        String(word).replacing("⟨space⟩", with: " ").replacing(
          "⟨folder⟩",
          with: scratch.folder.path
        )
      }
    }
    var run = await Program.runHere(words(here), in: here)
    // The same line needs two folders, whose names are absolute in some sentences.
    run.out.replace(here.folder.path, with: there.folder.path)
    run.err.replace(here.folder.path, with: there.folder.path)
    try await expectEqual(run, Flight(words(there), in: there).end())
    try expectEqual(Self.files(in: here), Self.files(in: there))
  }

  @Test(.referenceClient, arguments: Program.processes.map(\.key))
  func `a command that needs a process says so, and prints nothing before`(
    name: String
  ) async throws {
    let scratch = try Self.prepare()
    let names = #"{"windtunnelDNS":1,"entries":[{"name":"a.test","addresses":["127.0.0.7"]}]}"#
    try scratch.write(names, to: "names.json")
    let more = [
      "serve": "a.json", "record": "http://127.0.0.1:1 --cassette new.json",
      "dns": "--script names.json", "check-release": "a.json", "mutate": "-- true",
    ]
    let words = "\(name) \(more[name] ?? "")".split(separator: " ").map(String.init)
    let run = await Program.runHere(words, in: scratch)
    let sentence = "windtunnel: This command runs only in a process of its own.\n"
    expectEqual(run, Program.Run(code: 70, out: "", err: sentence))
  }
}
