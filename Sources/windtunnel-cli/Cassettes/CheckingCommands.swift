internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

/// A gate for what is about to be committed: it says where a secret stands and never what it is.
enum CassetteLintCommand: Command {
  static let name = "cassette lint"
  static let summary = "Look for secrets on cassettes, and for what is too old; 1 if there are any."
  static let synopsis = "FILE … | --git REF [PATH…] [--max-age DAYS] [--undated] [--json]"
  static let example = "windtunnel cassette lint --git main Cassettes"
  static let operandsMax = 10_000
  static let flags = [
    Flag("--git", "REF", "Look only at what was added or changed since a commit or a branch."),
    Flag("--max-age", "DAYS", "Find what was recorded earlier, where record --dates kept the day."),
    Flag("--undated", nil, "Find what bears no date, too."),
    Flag("--json", nil, "Print what was found as JSON."),
    Flag("--redact", "NAME", "One more name of a secret, or a place in JSON such as $.user.code."),
    Flag("--personal-data", nil, "Look for e-mail addresses, telephone numbers and names, too."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let rules = try RedactionRules(arguments)
    let ageMax = try arguments.days("--max-age")
    let wantsDates = arguments.has("--undated")
    var (files, leakCount, oldCount, undatedCount): ([JSON], Int, Int, Int) = ([], 0, 0, 0)
    for (path, cassette, earlier) in try cassettes(arguments) {
      let lint = CassetteLint(cassette, since: earlier, rules: rules)
      let old = ageMax.map { Self.old(cassette, since: earlier, days: $0) } ?? []
      let undated = Self.undated(cassette, since: earlier)
      leakCount += lint.leaks.count
      oldCount += old.count
      if wantsDates {
        undatedCount += undated.count
      } else if ageMax != nil {
        complain(ofUndated: undated.count, path)
      }
      for line in lint.unopened { Terminal.complain("\(path): not looked at: \(line)\n") }
      if arguments.has("--json") {
        files.append([
          "file": .text(path), "leaks": .array(lint.leaks.map(\.json)),
          "old": .array(old.map(\.json)),
          "undated": .array(wantsDates ? undated.map { .number($0) } : []),
          "unopened": .array(lint.unopened.map { .text($0) }),
        ])
      } else {
        for leak in lint.leaks { Terminal.answer(line: "\(path): \(leak)") }
        for interaction in old { Terminal.answer(line: "\(path): \(interaction)") }
        for number in wantsDates ? undated : [] {
          Terminal.answer(line: "\(path): #\(number) bears no date")
        }
      }
    }
    if arguments.has("--json") {
      let report: JSON = [
        "windtunnelLint": 1, "leaks": .number(leakCount), "old": .number(oldCount),
        "undated": .number(undatedCount), "files": .array(files),
      ]
      Terminal.answer(json: report.bytes(.init(.indent2, endsWithNewline: true)))
    }
    conclude(leakCount, oldCount, ageMax)
    if undatedCount > 0 {
      let subject = undatedCount == 1 ? "1 interaction bears" : "\(undatedCount) interactions bear"
      Terminal.complain(
        "\(subject) no date. To record anew: windtunnel record --mode rewrite --dates\n"
      )
    }
    return leakCount + oldCount + undatedCount == 0 ? .done : .found
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

  /// The cassettes to look at, by the names of the files, each with its earlier state.
  private static func cassettes(
    _ arguments: Arguments
  ) throws -> [(path: String, cassette: Cassette, earlier: Cassette)] {
    guard let ref = try arguments.value("--git") else {
      _ = try arguments.operand(0, "FILE", "which cassette to look through")
      return try arguments.operands.map { path in
        (path, try CassetteFile.read(path), Cassette())
      }
    }
    let history = try GitHistory(ref)
    return try history.changed(arguments.operands).filter(\.isHere).map { file in
      // Whatever was no cassette then has said nothing that is passed over now.
      let earlier = try? history.cassette(file)
      return (file.name, try CassetteFile.read(file.url), earlier ?? Cassette())
    }
  }

  /// The interactions that are too old.
  private static func old(
    _ cassette: Cassette,
    since earlier: Cassette,
    days: Int
  ) -> [OldInteraction] {
    let (numbers, _) = cassette.older(thanDays: days, at: Date())
    let added = Set(cassette.added(since: earlier))
    return numbers.filter { added.contains($0) }.map { number in
      OldInteraction(number: number, date: cassette.interactions[number - 1].recordedAt ?? "")
    }
  }

  /// The numbers of those that nobody can call old or new.
  private static func undated(_ cassette: Cassette, since earlier: Cassette) -> [Int] {
    let undated = Set(cassette.numbersWithoutDate)
    return cassette.added(since: earlier).filter { undated.contains($0) }
  }

  private static func complain(ofUndated count: Int, _ path: String) {
    guard count > 0 else { return }
    let subject = count == 1 ? "1 interaction bears" : "\(count) interactions bear"
    Terminal.complain(
      "\(path): \(subject) no date; record --dates keeps one\n"
    )
  }
}

/// An interaction that was recorded too long ago. Its address is not told: it may hold a secret.
private struct OldInteraction: CustomStringConvertible {
  let number: Int
  let date: String

  var description: String { "#\(number) recorded \(date)" }

  var json: JSON { ["interaction": .number(number), "recordedAt": .text(date)] }
}

extension CassetteLeak {
  fileprivate var json: JSON {
    [
      "interaction": number == 0 ? nil : .number(number), "place": .text(place),
      "kind": .text(kind), "bytes": .number(bytes),
    ]
  }
}

/// Checks that cassettes are whole, without asking a server: they read, the bodies beside them are
/// those that were written, and nothing on them contradicts itself.
enum CassetteVerifyCommand: Command {
  static let name = "cassette verify"
  static let summary =
    "Check that cassettes and the bodies beside them are whole; 1 if they are not."
  static let synopsis = "FILE … [--json]"
  static let example = "windtunnel cassette verify Cassettes/examples/shop.json"
  static let operandsMax = 10_000
  static let flags = [Flag("--json", nil, "Print what was found as JSON.")]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    _ = try arguments.operand(0, "FILE", "which cassette to verify")
    var (files, count): ([JSON], Int) = ([], 0)
    for path in arguments.operands {
      let file = URL(filePath: path)
      // A text that does not read, or a body that is gone or was changed, ends it here.
      let cassette = try CassetteFile.read(file)
      let (flaws, unnamed) = (cassette.flaws, cassette.unnamedSideFiles(of: file))
      count += flaws.count + unnamed.count
      if arguments.has("--json") {
        files.append([
          "file": .text(path), "interactions": .number(cassette.interactions.count),
          "flaws": .array(flaws.map(\.json)), "unnamed": .array(unnamed.map { .text($0) }),
        ])
        continue
      }
      for flaw in flaws { Terminal.answer(line: "\(path): \(flaw)") }
      let folder = Cassette.sideFolder(of: file).lastPathComponent
      for name in unnamed {
        Terminal.answer(line: "\(path): nothing on it names \(folder)/\(name)")
      }
      guard flaws.isEmpty, unnamed.isEmpty else { continue }
      Terminal.answer(line: "\(path): \(cassette.interactions.count) interactions, whole")
    }
    if arguments.has("--json") {
      let report: JSON = ["windtunnelVerify": 1, "found": .number(count), "files": .array(files)]
      Terminal.answer(json: report.bytes(.init(.indent2, endsWithNewline: true)))
    }
    return count == 0 ? .done : .found
  }
}
