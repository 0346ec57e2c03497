enum CassetteMergeCommand: Command {
  static let name = "cassette merge"
  static let summary = "Merge several cassettes into one."
  static let synopsis = "A B … OUT"
  static let example = "windtunnel cassette merge login.json shop.json all.json"
  static let operandsMax = Int.max

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let inputs = arguments.operands.dropLast()
    guard let output = arguments.operands.last, inputs.count >= 2 else {
      throw CommandError.usage("Pass two or more cassettes and a file to write.")
    }
    let file = URL(typed: output)
    let isInput = inputs.contains { URL(typed: $0).standardizedFileURL == file.standardizedFileURL }
    // `merge *.json` would overwrite the last cassette.
    if !isInput, FileManager.default.fileExists(atPath: file.path) {
      throw CommandError(
        .cannotWrite,
        "\(output) already exists. To add to it, pass it as one of the cassettes, too."
      )
    }
    let cassettes = try inputs.map { path in
      let input = URL(typed: path)
      let isOutput = input.standardizedFileURL == file.standardizedFileURL
      return (path, try isOutput ? CassetteFile.readForWriting(input) : CassetteFile.read(input))
    }
    let merge: CassetteMerge
    do { merge = try CassetteMerge(cassettes) } catch { throw CommandError(.data, "\(error)") }
    try merge.cassette.write(to: file)
    if merge.repeatedCount > 0 {
      Terminal.complain(
        "skipped \(merge.repeatedCount.counted("interaction")) of an earlier cassette\n"
      )
    }
    let count = merge.cassette.interactions.count.counted("interaction")
    Terminal.complain("\(output): \(count)\n")
    return .done
  }
}

enum CassettePruneCommand: Command {
  static let name = "cassette prune"
  static let summary =
    "Remove interactions from a cassette: by number, by age, or if no call used them."
  static let synopsis = "FILE [--number N …] [--unused REPORT …] [--older-than DAYS] [--check]"
  static let example = "windtunnel cassette prune shop.json --unused drill.json --check"
  static let operandsMax = 1
  static let flags = [
    Flag("--number", "N", "Interaction by its number in cassette show. May be repeated."),
    Flag("--unused", "REPORT", "Interactions that no call of these drills used. May be repeated."),
    Flag("--older-than", "DAYS", "Interactions older than this, if record --dates stored the day."),
    Flag("--check", nil, "Change nothing; exit 1 if there is something to remove."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let path = try arguments.operand(0, "FILE", "the cassette to prune")
    let (numbers, reports) = (arguments.all("--number"), arguments.all("--unused"))
    let days = try arguments.days("--older-than")
    guard !numbers.isEmpty || !reports.isEmpty || days != nil else {
      throw CommandError.usage("Nothing to prune. Pass --number, --unused or --older-than.")
    }
    let file = URL(typed: path)
    let cassette =
      try arguments.has("--check") ? CassetteFile.read(file) : CassetteFile.readForWriting(file)
    let all = 1...max(1, cassette.interactions.count)
    var going: Set<Int> = []
    for text in numbers {
      guard let number = Int(text), all.contains(number), !cassette.interactions.isEmpty else {
        throw CommandError.usage("--number \(text): the cassette has #1 to #\(all.upperBound).")
      }
      going.insert(number)
    }
    if !reports.isEmpty { going.formUnion(try unused(cassette, reports)) }
    if let days {
      let (old, undatedCount) = cassette.older(thanDays: days, at: Date())
      going.formUnion(old)
      if undatedCount > 0 {
        let verb = undatedCount == 1 ? "has" : "have"
        Terminal.complain("\(undatedCount.counted("interaction")) \(verb) no date\n")
      }
    }
    for number in going.sorted() {
      let request = cassette.interactions[number - 1].request
      Terminal.answer(line: "#\(number) \(request.method) \(request.url)")
    }
    if arguments.has("--check") { return going.isEmpty ? .done : .found }
    guard !going.isEmpty else { return .done }
    let rest = cassette.without(numbers: going)
    try rest.write(to: file)
    let count = rest.interactions.count
    let verb = count == 1 ? "remains" : "remain"
    Terminal.complain("\(path): \(count.counted("interaction")) \(verb)\n")
    return .done
  }

  private static func unused(_ cassette: Cassette, _ reports: [String]) throws -> Set<Int> {
    let all = Set(cassette.interactions.indices.map { $0 + 1 })
    var used: Set<Int> = []
    for path in reports {
      let met = try Report(contentsOf: URL(typed: path)).interactionsUsed
      guard met.isSubset(of: all) else {
        throw CommandError(
          .data,
          "\(path) used interaction #\(met.max() ?? 0), but the cassette ends with #\(all.count): "
            + "the drill ran with another cassette."
        )
      }
      used.formUnion(met)
    }
    // A drill that used no interaction gives no information, and would empty the cassette.
    guard !used.isEmpty else {
      throw CommandError(
        .data,
        "No call of \(reports.joined(separator: ", ")) used an interaction."
      )
    }
    return all.subtracting(used)
  }
}

enum CassetteFormatCommand: Command {
  static let name = "cassette format"
  static let summary = "Rewrite cassettes in their canonical form, such as after edits by hand."
  static let synopsis = "FILE … [--check]"
  static let example = "windtunnel cassette format --check Cassettes/examples/shop.json"
  static let operandsMax = Int.max
  static let flags = [
    Flag("--check", nil, "Change nothing; print the files that differ, and exit 1 if any.")
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    _ = try arguments.operand(0, "FILE", "the cassette to format")
    let changesNothing = arguments.has("--check")
    var differs = false
    for path in arguments.operands {
      let file = URL(typed: path)
      let cassette =
        try changesNothing ? CassetteFile.read(file) : CassetteFile.readForWriting(file)
      guard FileManager.default.contents(atPath: file.path) != cassette.text else { continue }
      differs = true
      if changesNothing {
        Terminal.answer(line: path)
      } else {
        try cassette.write(to: file)
        Terminal.complain("\(path): formatted\n")
      }
    }
    return changesNothing && differs ? .found : .done
  }
}
