/// Checks that cassettes are complete and consistent, without a server.
///
/// They must be readable and consistent, and the bodies next to them must be unchanged.
enum CassetteVerifyCommand: Command {
  static let name = "cassette verify"
  static let summary =
    "Check that cassettes and their body files are intact; exit 1, or 65 for a damaged file."
  static let synopsis = "FILE … [--json]"
  static let example = "windtunnel cassette verify Cassettes/examples/shop.json"
  static let operandsMax = 10_000
  static let flags = [Flag("--json", nil, "Print the findings as JSON.")]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    _ = try arguments.operand(0, "FILE", "the cassette to verify")
    var (files, count): ([JSON], Int) = ([], 0)
    for path in arguments.operands {
      let file = URL(typed: path)
      // An unreadable text, or a missing or changed body, ends the command here.
      let cassette = try CassetteFile.read(file)
      let (flaws, unnamed) = (cassette.flaws, cassette.unnamedSideFiles(of: file))
      count += flaws.count + unnamed.count
      if arguments.has("--json") {
        files.append([
          "file": .text(path), "interactions": .number(cassette.interactions.count),
          "flaws": .array(flaws.map(\.json)), "unnamed": .texts(unnamed),
        ])
        continue
      }
      for flaw in flaws { Terminal.answer(line: "\(path): \(flaw)") }
      let folder = Cassette.sideFolder(of: file).lastPathComponent
      for name in unnamed {
        Terminal.answer(line: "\(path): no interaction uses \(folder)/\(name)")
      }
      guard flaws.isEmpty, unnamed.isEmpty else { continue }
      Terminal.answer(line: "\(path): \(cassette.interactions.count.counted("interaction")), valid")
    }
    if arguments.has("--json") {
      let report: JSON = ["windtunnelVerify": 1, "found": .number(count), "files": .array(files)]
      Terminal.answer(indented: report)
    }
    return count == 0 ? .done : .found
  }
}
