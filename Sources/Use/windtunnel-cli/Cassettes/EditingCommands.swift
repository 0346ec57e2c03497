enum CassetteMergeCommand: Command {
  static let name = "cassette merge"
  static let summary = "Merge several cassettes into one."
  static let synopsis = "A B … OUT"
  static let example = "windtunnel cassette merge login.json shop.json all.json"
  static let operandsMax = Int.max

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let inputs = arguments.operands.dropLast()
    guard let output = arguments.operands.last, inputs.count >= 2 else {
      throw Refusal.usage("Two cassettes or more and a file to write are wanted.")
    }
    let file = URL(typed: output)
    let isInput = inputs.contains { URL(typed: $0).standardizedFileURL == file.standardizedFileURL }
    // `merge *.json` would write over the last one.
    if !isInput, FileManager.default.fileExists(atPath: file.path) {
      throw Refusal(
        .cannotWrite,
        "\(output) is there already. To add to it, name it among the cassettes, too."
      )
    }
    let cassettes = try inputs.map { path in
      let input = URL(typed: path)
      let isOutput = input.standardizedFileURL == file.standardizedFileURL
      return (path, try isOutput ? CassetteFile.readForWriting(input) : CassetteFile.read(input))
    }
    let merge: CassetteMerge
    do { merge = try CassetteMerge(cassettes) } catch { throw Refusal(.data, "\(error)") }
    try merge.cassette.write(to: file)
    if merge.repeatedCount > 0 {
      Terminal.complain(
        "\(merge.repeatedCount.counted("interaction")) stood on an earlier cassette already\n"
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
    let path = try arguments.operand(0, "FILE", "which cassette to prune")
    let (numbers, reports) = (arguments.all("--number"), arguments.all("--unused"))
    let days = try arguments.days("--older-than")
    guard !numbers.isEmpty || !reports.isEmpty || days != nil else {
      throw Refusal.usage("What should go? --number, --unused or --older-than says so.")
    }
    let file = URL(typed: path)
    let cassette =
      try arguments.has("--check") ? CassetteFile.read(file) : CassetteFile.readForWriting(file)
    let all = 1...max(1, cassette.interactions.count)
    var going: Set<Int> = []
    for text in numbers {
      guard let number = Int(text), all.contains(number), !cassette.interactions.isEmpty else {
        throw Refusal.usage("--number \(text): the interactions are #1 to #\(all.upperBound).")
      }
      going.insert(number)
    }
    if !reports.isEmpty { going.formUnion(try unused(cassette, reports)) }
    if let days {
      let (old, undatedCount) = cassette.older(thanDays: days, at: Date())
      going.formUnion(old)
      if undatedCount > 0 {
        let verb = undatedCount == 1 ? "bears" : "bear"
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
    let verb = count == 1 ? "is" : "are"
    Terminal.complain("\(path): \(count.counted("interaction")) \(verb) left\n")
    return .done
  }

  private static func unused(_ cassette: Cassette, _ reports: [String]) throws -> Set<Int> {
    let all = Set(cassette.interactions.indices.map { $0 + 1 })
    var used: Set<Int> = []
    for path in reports {
      let met = try Report(contentsOf: URL(typed: path)).interactionsUsed
      guard met.isSubset(of: all) else {
        throw Refusal(
          .data,
          "\(path) met #\(met.max() ?? 0), and the cassette ends with #\(all.count): the drill flew on "
            + "another one."
        )
      }
      used.formUnion(met)
    }
    // A drill that met nothing says nothing of the cassette, and would empty it.
    guard !used.isEmpty else {
      throw Refusal(.data, "No call of \(reports.joined(separator: ", ")) met an interaction.")
    }
    return all.subtracting(used)
  }
}

enum CassetteFormatCommand: Command {
  static let name = "cassette format"
  static let summary = "Write cassettes that were edited by hand in their canonical form."
  static let synopsis = "FILE … [--check]"
  static let example = "windtunnel cassette format --check Cassettes/examples/shop.json"
  static let operandsMax = Int.max
  static let flags = [
    Flag("--check", nil, "Change nothing; print the files that differ, and exit 1 if any does.")
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    _ = try arguments.operand(0, "FILE", "which cassette to format")
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
