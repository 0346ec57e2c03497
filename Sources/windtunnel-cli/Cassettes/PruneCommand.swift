internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

enum CassettePruneCommand: Command {
  static let name = "cassette prune"
  static let summary =
    "Take interactions off a cassette: by number, age, or because nobody used them."
  static let synopsis = "FILE [--number N …] [--unused REPORT …] [--older-than DAYS] [--check]"
  static let example = "windtunnel cassette prune shop.json --unused drill.json --check"
  static let operandsMax = 1
  static let flags = [
    Flag("--number", "N", "This interaction, as cassette show counts them; may repeat."),
    Flag("--unused", "REPORT", "Those that no call of this drill met; with several, of any drill."),
    Flag("--older-than", "DAYS", "Those recorded earlier, where record --dates kept the day."),
    Flag("--check", nil, "Change nothing; exit 1 if there is something to take off."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let path = try arguments.operand(0, "FILE", "which cassette to prune")
    let (numbers, reports) = (arguments.all("--number"), arguments.all("--unused"))
    let days = try arguments.days("--older-than")
    guard !numbers.isEmpty || !reports.isEmpty || days != nil else {
      throw Refusal.pruneWhat
    }
    let file = URL(filePath: path)
    let cassette =
      try arguments.has("--check") ? CassetteFile.read(file) : CassetteFile.readForWriting(file)
    let all = 1...max(1, cassette.interactions.count)
    var going: Set<Int> = []
    for text in numbers {
      guard let number = Int(text), all.contains(number), !cassette.interactions.isEmpty else {
        throw Refusal.pruneNumber(text, last: all.upperBound)
      }
      going.insert(number)
    }
    if !reports.isEmpty { going.formUnion(try unused(cassette, reports)) }
    if let days {
      let (old, undatedCount) = cassette.older(thanDays: days, at: Date())
      going.formUnion(old)
      if undatedCount > 0 { Terminal.complain("\(undatedCount) interactions bear no date\n") }
    }
    for number in going.sorted() {
      let request = cassette.interactions[number - 1].request
      Terminal.answer(line: "#\(number) \(request.method) \(request.url)")
    }
    if arguments.has("--check") { return going.isEmpty ? .done : .found }
    guard !going.isEmpty else { return .done }
    let rest = cassette.without(numbers: going)
    try rest.write(to: file)
    Terminal.complain("\(path): \(rest.interactions.count) interactions are left\n")
    return .done
  }

  private static func unused(_ cassette: Cassette, _ reports: [String]) throws -> Set<Int> {
    let all = Set(cassette.interactions.indices.map { $0 + 1 })
    var used: Set<Int> = []
    for path in reports {
      let met = try Report(contentsOf: URL(filePath: path)).interactionsUsed
      guard met.isSubset(of: all) else {
        throw Refusal.otherDrill(path, met: met.max() ?? 0, last: all.count)
      }
      used.formUnion(met)
    }
    // A drill that met nothing says nothing of the cassette, and would empty it.
    guard !used.isEmpty else { throw Refusal.metNothing(reports) }
    return all.subtracting(used)
  }
}
