internal import Foundation
internal import WindTunnel
internal import WindTunnelDrill

/// A gate for what is about to be committed: it says where a secret stands and never what it is.
enum CassetteLintCommand: Command {
  static let name = "cassette lint"
  static let summary = "Look for secrets on cassettes, and for what is too old; 1 if there are any."
  static let synopsis = "FILE … | --git REF [PATH…] [--max-age DAYS] [--json]"
  static let example = "windtunnel cassette lint --git main Cassettes"
  static let operandsMax = 10_000
  static let flags = [
    Flag("--git", "REF", "Look only at what was added or changed since a commit or a branch."),
    Flag("--max-age", "DAYS", "Find what was recorded earlier, where record --dates kept the day."),
    Flag("--json", nil, "Print what was found as JSON."),
    Flag("--redact", "NAME", "One more name of a secret, or a place in JSON such as $.user.code."),
    Flag("--personal-data", nil, "Look for e-mail addresses, telephone numbers and names, too."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let rules = try RedactionRules(arguments)
    let ageMax = try arguments.days("--max-age")
    var (files, leakCount, oldCount): ([JSON], Int, Int) = ([], 0, 0)
    for (path, cassette, earlier) in try cassettes(arguments) {
      let lint = CassetteLint(cassette, since: earlier, rules: rules)
      let old = ageMax.map { Self.old(cassette, since: earlier, days: $0, path) } ?? []
      leakCount += lint.leaks.count
      oldCount += old.count
      for line in lint.unopened { Terminal.complain("\(path): not looked at: \(line)\n") }
      if arguments.has("--json") {
        files.append([
          "file": .text(path), "leaks": .array(lint.leaks.map(\.json)),
          "old": .array(old.map(\.json)), "unopened": .array(lint.unopened.map { .text($0) }),
        ])
      } else {
        for leak in lint.leaks { Terminal.answerVisibly("\(path): \(leak)\n") }
        for interaction in old { Terminal.answerVisibly("\(path): \(interaction)\n") }
      }
    }
    if arguments.has("--json") {
      let report: JSON = [
        "windtunnelLint": 1, "leaks": .number(leakCount), "old": .number(oldCount),
        "files": .array(files),
      ]
      Terminal.answer(
        String(decoding: report.bytes(.init(.indent2, endsWithNewline: true)), as: UTF8.self)
      )
    }
    conclude(leakCount, oldCount, ageMax)
    return leakCount + oldCount == 0 ? .done : .found
  }

  private static func conclude(_ leakCount: Int, _ oldCount: Int, _ ageMax: Int?) {
    let secrets = leakCount == 1 ? "1 secret" : "\(leakCount) secrets"
    if leakCount > 0 { Terminal.complain("\(secrets). A commit is for ever: record it anew.\n") }
    guard let ageMax, oldCount > 0 else { return }
    let subject = oldCount == 1 ? "1 interaction is" : "\(oldCount) interactions are"
    Terminal.complain(
      "\(subject) older than \(ageMax) days. To record anew: windtunnel record --mode rewrite --dates\n"
    )
  }

  /// What is looked at, by the names of the files, and what it was before.
  private static func cassettes(
    _ arguments: Arguments
  ) throws -> [(path: String, cassette: Cassette, earlier: Cassette)] {
    guard let ref = try arguments.value("--git") else {
      _ = try arguments.operand(0, "FILE", "which cassette to look through")
      return try arguments.operands.map { path in
        (path, try Tapes.read(path), Cassette())
      }
    }
    let history = try GitHistory(ref)
    return try history.changed(arguments.operands).filter(\.isHere).map { file in
      // Whatever was no cassette then has said nothing that is passed over now.
      let earlier = try? history.cassette(file)
      return (file.name, try Tapes.read(file.url), earlier ?? Cassette())
    }
  }

  /// The interactions that are too old; of those without a date it says how many there are.
  private static func old(
    _ cassette: Cassette,
    since earlier: Cassette,
    days: Int,
    _ path: String
  ) -> [OldInteraction] {
    let now = Date()
    let (numbers, undatedCount) = cassette.older(thanDays: days, at: now)
    if undatedCount > 0 {
      let subject = undatedCount == 1 ? "1 interaction bears" : "\(undatedCount) interactions bear"
      Terminal.complain("\(path): \(subject) no date; record --dates keeps one\n")
    }
    let added = Set(cassette.added(since: earlier))
    return numbers.filter { added.contains($0) }.map { number in
      OldInteraction(number: number, date: cassette.interactions[number - 1].recordedAt ?? "")
    }
  }
}

/// An interaction that was recorded too long ago. Its address is not told: it may hold a secret.
private struct OldInteraction: CustomStringConvertible {
  let number: Int
  let date: String

  var description: String { "#\(number) recorded \(date)" }

  var json: JSON { ["interaction": .number(number), "recordedAt": .text(date)] }
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
      "interaction": number == 0 ? nil : .number(number), "place": .text(place),
      "kind": .text(kind), "bytes": .number(bytes),
    ]
  }
}
