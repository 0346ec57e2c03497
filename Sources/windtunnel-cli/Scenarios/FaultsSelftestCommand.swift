internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelDrill
internal import WindTunnelServer

enum FaultsSelftestCommand: Command {
  static let name = "faults selftest"
  static let summary = "Make each fault for real and look at it: raw socket, curl, URLSession."
  static let synopsis = "[--fault NAME …] [--repeat N] [--json]"
  static let example = "windtunnel faults selftest --repeat 200"
  static let flags = [
    Flag("--fault", "NAME", "Only this one; may be repeated (default: all)."),
    Flag("--repeat", "N", "Looks of the raw socket at what ends at once (default: 1)."),
    Flag("--json", nil, "Print a list of objects instead of the table."),
  ]

  /// The first argument of a process that looks at a fault; the second is where.
  static let lookWord = "look-as-session"
  /// That of a process that has a name server of its own.
  static let standWord = "stand-as-network"

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    guard let executable = Bundle.main.executableURL else { throw Refusal.selfNotFound }
    var test = SelfTest(
      executable: executable,
      arguments: [Self.lookWord],
      standWord: Self.standWord
    )
    test.repeats = try arguments.int("--repeat", in: 1...SelfTest.repeatsMax) ?? test.repeats
    let names = arguments.all("--fault")
    let kinds = try names.map { name in
      guard let kind = CatalogueRow.named(name) else {
        throw Refusal.unknownFault(name, among: CatalogueRow.all.map(\.name))
      }
      return kind
    }
    let isJSON = arguments.has("--json")
    OpenFiles.raise()
    let rows = await test.run(kinds.isEmpty ? CatalogueRow.all : kinds) { row in
      Terminal.progress(row.kind.name)
    }
    Terminal.progress("")
    if isJSON {
      let list = JSON.array(rows.map(\.json))
      Terminal.answer(json: list.fileBytes())
    } else {
      Terminal.answer(text(rows))
    }
    return rows.allSatisfy { $0.passed || $0.isSkipped } ? .done : .found
  }

  private static func text(_ rows: [SelfTestRow]) -> String {
    let width = rows.map(\.kind.name.count).max() ?? 0
    var text = ""
    for row in rows {
      let mark = row.isSkipped ? "skip" : row.passed ? "ok" : "FAIL"
      text += "\(pad(mark, 4))  \(pad(row.kind.name, width))  \(row.asked)\n"
      guard !row.passed else { continue }
      let indent = String(repeating: " ", count: 6)
      if let raw = row.raw {
        let looker = if case .lookUp = row.kind { "getaddrinfo" } else { "raw socket" }
        text += "\(indent)\(looker): \(raw) (as asked \(row.equalLooks) of \(row.looks) times)\n"
      }
      if let curl = row.curl {
        let codes = row.kind.expected.curl.map { String($0) }.joined(separator: " or ")
        text += "\(indent)curl: \(curl), expected \(codes)\n"
      }
      if let session = row.session {
        let seen = "\(session.text) \(row.sessionCode.map { "\($0)" } ?? "")"
        let expected = "\(row.expectedSession.text) \(row.expectedCode.map { "\($0)" } ?? "")"
        text += "\(indent)URLSession: \(seen), expected \(expected)\n"
      }
    }
    let (failed, skipped) = (
      rows.count { !$0.passed && !$0.isSkipped }, rows.count(where: \.isSkipped)
    )
    text += "\n\(rows.count) faults: \(rows.count - failed - skipped) as expected, "
    text += "\(failed) not, \(skipped) skipped\n"
    for reason in Set(rows.flatMap(\.skipped)).sorted() {
      let count = rows.count { $0.skipped.contains(reason) }
      text += "skipped \(count): \(reason)\n"
    }
    for reason in Set(rows.flatMap(\.unseenBy)).sorted() {
      let count = rows.count { $0.unseenBy.contains(reason) }
      text += "\(count) not seen by all: \(reason)\n"
    }
    return text
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
