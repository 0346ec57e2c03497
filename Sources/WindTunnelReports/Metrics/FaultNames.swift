/// The names of the faults of decisions, each worked out once.
struct FaultNames: Sendable {
  /// Drawn delays differ each time, so not everything is kept.
  private static let keptMax = 1000

  private var known: [Substring: [String]] = [:]

  /// The faults of an attempt, by name.
  mutating func names(of attempt: Observation.Attempt) -> [String] {
    let line = attempt.decision
    if attempt.metNothing { return [] }
    let tab = line.utf8.lastIndex(of: UInt8(ascii: "\t")) ?? line.startIndex
    let faults = line[tab...]
    if let names = known[faults] { return names }
    let names = attempt.faults
    if known.count < Self.keptMax { known[Substring(String(faults))] = names }
    return names
  }
}
