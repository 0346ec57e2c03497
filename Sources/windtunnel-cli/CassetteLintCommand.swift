internal import Foundation
internal import WindTunnel

/// A gate for what is about to be committed: it says where a secret stands and never what it is.
enum CassetteLintCommand: Command {
  static let name = "cassette lint"
  static let summary = "Look for secrets on cassettes; 1 if there are any."
  static let synopsis = "FILE … [--json]"
  static let example = "windtunnel cassette lint Cassettes/examples/shop.json"
  static let operandsMax = 10_000
  static let flags = [
    Flag("--json", nil, "Print what was found as JSON."),
    Flag("--redact", "NAME", "One more name of a secret, or a place in JSON such as $.user.code."),
    Flag("--personal-data", nil, "Look for e-mail addresses, telephone numbers and names, too."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    _ = try arguments.operand(0, "FILE", "which cassette to look through")
    let rules = try RedactionRules(arguments)
    var files: [JSON] = []
    var count = 0
    for path in arguments.operands {
      let lint = CassetteLint(try Cassette(contentsOf: URL(filePath: path)), rules: rules)
      count += lint.leaks.count
      for line in lint.unopened { Terminal.complain("\(path): not looked at: \(line)\n") }
      if arguments.has("--json") {
        files.append([
          "file": .text(path), "leaks": .array(lint.leaks.map(\.json)),
          "unopened": .array(lint.unopened.map { .text($0) }),
        ])
      } else {
        for leak in lint.leaks { Terminal.answer("\(path): \(leak)\n") }
      }
    }
    if arguments.has("--json") {
      let report: JSON = ["windtunnelLint": 1, "leaks": .number(count), "files": .array(files)]
      Terminal.answer(
        String(decoding: report.bytes(.init(.indent2, endsWithNewline: true)), as: UTF8.self)
      )
    }
    let noun = count == 1 ? "secret" : "secrets"
    if count > 0 { Terminal.complain("\(count) \(noun). A commit is for ever: record it anew.\n") }
    return count == 0 ? .done : .found
  }
}

extension RedactionRules {
  /// The rules that a command line adds.
  init(_ arguments: Arguments) throws(Refusal) {
    let names = arguments.all("--redact")
    if let wrong = names.first(where: { $0.hasPrefix("$") && !RedactionRules.isPlace($0) }) {
      throw .value("--redact", wrong, shouldBe: "a name, or a place such as $.user.code")
    }
    self.init(names: names, personalData: arguments.has("--personal-data"))
  }
}

extension CassetteLeak {
  fileprivate var json: JSON {
    [
      "interaction": .number(number), "place": .text(place), "kind": .text(kind),
      "bytes": .number(bytes),
    ]
  }
}
