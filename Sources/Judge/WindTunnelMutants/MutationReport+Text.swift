extension MutationReport {
  /// The maximum number of lines of the short text.
  private static let linesMax = 25

  static let legend = "✓ noticed   ✗ not noticed   ~ not noticed, which can be right   – not judged"

  /// The report as text for a terminal. Its last line is the verdict's.
  ///
  /// - Parameters:
  ///   - width: The maximum number of columns, except of the command to repeat.
  ///   - isLong: Whether all endpoints have a row; else the text has at most 25 lines.
  /// - Returns: The table of endpoints, the other results and the verdict.
  package func text(width: Int = 100, isLong: Bool = false) -> String {
    let below = lowerLines(width: width)
    let end = [again.map { "again: \($0)" }, "", verdictLine].compactMap { $0 }
    let rowsMax = isLong ? .max : max(Self.linesMax - below.count - end.count - 6, 1)
    let names = endpoints.map(\.name.visibleInLine)
    let rows = zip(endpoints, names).prefix(rowsMax).map { endpoint, name in
      [name.cut(at: width * 2 / 5, unlike: names)]
        + MutatedEndpoint.levels.map { endpoint.column($0).rawValue } + [endpoint.remark]
    }
    let rest = endpoints.count - rows.count
    let heads = ["noticed by the tests"] + MutatedEndpoint.levels.map { "\($0)" } + [""]
    let table =
      Figures.lines([heads] + rows, leftColumns: 1)
      + (rest > 0 ? ["… and \(rest) more (--all)"] : []) + [Self.legend, ""]
    let lines = [headLine, ""] + (rows.isEmpty ? [] : table) + below
    return (lines.map { $0.visibleInLine.cut(at: width) } + end.map(\.visibleInLine))
      .joined(separator: "\n") + "\n"
  }

  private var headLine: String {
    let recordings = Set(endpoints.flatMap(\.outcomes).map(\.recording)).count
    let time = duration.map { " in \(Figures.time($0))" } ?? ""
    return "tests that passed twice \(green) of \(tests.count) · endpoints \(endpoints.count) · "
      + "recordings \(recordings) · faults \(runs.count - count(nil))\(time)"
  }

  private var green: Int { tests.count { $0.plain == .green } }

  /// The lines below the table, one for each kind of result.
  func lowerLines(width: Int) -> [String] {
    func failures(_ result: MutantResult) -> [String] {
      runs.filter { $0.result == result }
        .map { "\($0.test.name) (\($0.endpoint), \($0.operator.name))" }
    }
    let lists = [
      ("worst", worst), ("notes", excuses), ("optional faults noticed", noted),
      ("brittle, failed under harmless changes", brittle), ("other results", counts),
      ("crashed", failures(.crashed)), ("hung", failures(.hung)),
      ("failed after the faults, so its results may be wrong", leftBehind.map(\.name)),
      ("changed since \(acceptedFile) accepted it", outdatedEntries.map(\.endpoint)),
      ("no longer needed in \(acceptedFile)", unneededEntries.map(\.endpoint)),
      ("kept in \(acceptedFile), but not tested", untestedEntries.map(\.endpoint)),
    ]
    return lists.filter { !$1.isEmpty }
      .map { "\($0): \($1.joined(separator: " · "))".visibleInLine.cut(at: width) }
  }

  /// The test that passes under the most faults of the most blind endpoint.
  private var worst: [String] {
    guard let endpoint = blindEndpoints.first else { return [] }
    let passed = endpoint.decided.flatMap(\.survivors).grouped(by: \.id)
    guard let (id, all) = passed.max(by: { $0.all.count < $1.all.count }) else { return [] }
    let count = endpoint.decided.count { $0.runs.contains { $0.test.id == id } }
    let words = "passes under \(all.count) of \(count) faults of \(endpoint.name)"
    return ["\(all[0].name) (\(all[0].place)) \(words)"]
  }

  /// The endpoints whose survivors are right.
  private var excuses: [String] {
    MutatedEndpoint.Excuse.allCases.flatMap { excuse in
      endpoints.filter { $0.excuses.contains(excuse) }.map { "\(excuse.rawValue) \($0.name)" }
    }
  }

  /// The changes that a test need not notice, with the number of times that one did.
  private var noted: [String] {
    endpoints.flatMap(\.outcomes)
      .filter { $0.expectation == .noted && $0.verdict != .undecided }
      .grouped { $0.mutant.path == nil ? $0.mutant.operator.name : "fields" }
      .map { "\($0) \($1.count { $0.verdict == .noticed }) of \($1.count)" }
  }

  /// The tests that failed under changes that must not matter.
  private var brittle: [String] {
    let failed = runs.filter { $0.operator.expectation == .unnoticed && $0.result.isKill }
    return failed.grouped(by: \.operator.name).map { name, all in
      "\(name) (\(all.grouped(by: \.test.place).map(\.key).joined(separator: ", ")))"
    }
  }

  /// The number of the results that are neither a kill nor a plain survivor.
  private var counts: [String] {
    let words = ["not tried", "not reached", "no room", "survived after a retry"]
    let results = Dictionary(grouping: runs, by: \.result.shown.word).mapValues(\.count)
    let counts = results.merging(["tests skipped": tests.count - green]) { $1 }
    return (words + ["tests skipped"]).map { ($0, counts[$0] ?? 0) }
      .filter { $1 > 0 || $0 == words[0] }.map { "\($0) \($1)" }
  }

  /// The command that runs one blind spot again; `nil` if there is none.
  package var again: String? {
    guard let endpoint = blindEndpoints.first,
      let fault = MutationOperator.all.first(where: endpoint.blindSpots.contains)
    else { return nil }
    let words = ["mutate", "--only", endpoint.name, "--fault", fault.name] + command
    return "windtunnel \(words.map(\.asShellWord).joined(separator: " "))"
  }

  /// The verdict in a sentence.
  package var verdictLine: String {
    let accepted = endpoints.count { !$0.accepted.isEmpty }
    let words =
      "new blind spots at \(blindEndpoints.count) of \(endpoints.count) endpoints"
      + (accepted > 0 ? "; accepted at \(accepted) (\(acceptedFile))" : "")
    return switch verdict {
    case .none, .newBlindSpot: words
    case .suiteFailed: "the suite crashed or hung; \(words)"
    case .undecided: "nothing is known: no test that passes received a broken response"
    case .interrupted, .terminated:
      "INTERRUPTED (\(verdict.rawValue)): after \(runs.count - count(nil)) of \(runs.count) faults"
        + (stop.map { "; the same command with --log \($0.log.asShellWord) tries the rest" } ?? "")
    }
  }
}

extension MutatedTest {
  /// The file's name and the line; the test's name if they are unknown.
  package var place: String {
    let name = file.split(separator: "/").last ?? name[...]
    return line > 0 ? "\(name):\(line)" : "\(name)"
  }
}

extension MutatedEndpoint {
  /// The tests that passed under the blind operators, and these; empty without any.
  package var remark: String {
    let passed = outcomes.filter { blindSpots.contains($0.mutant.operator) }
      .flatMap(\.survivors).grouped(by: \.place).map(\.key)
    if passed.isEmpty { return "" }
    let names = MutationOperator.all.filter(blindSpots.contains).map(\.name)
    let isAny =
      names.count > 3 && decided.allSatisfy { blindSpots.contains($0.mutant.operator) }
    return (passed.count == 1 ? passed[0] : "\(passed.count) tests")
      + (isAny ? ": any response passes" : ": \(names.joined(separator: ", "))")
  }
}

extension String {
  /// Returns the text with a maximum number of characters.
  fileprivate func cut(at width: Int) -> String {
    count <= width ? self : "\(prefix(width - 1))…"
  }

  /// Returns the name with a maximum number of characters. If others would be equal, the beginning
  /// that it shares with them is replaced, and not its end.
  fileprivate func cut(at width: Int, unlike names: [String]) -> String {
    let start = prefix(width - 1)
    let alike = count > width ? names.filter { $0 != self && $0.hasPrefix(start) } : []
    let common = alike.map { zip($0, self).prefix { $0 == $1 }.count }.max()
    return (common.map { "\(prefix { $0 != " " }) …\(dropFirst($0))" } ?? self).cut(at: width)
  }
}
