extension Report {
  /// The numbers of the interactions that the calls of this report met, withheld ones too: they
  /// were asked for.
  public var interactionsUsed: Set<Int> {
    var used: Set<Int> = []
    for row in scenarios.flatMap(\.subjects) {
      for attempt in row.observations.flatMap(\.attempts) {
        let words = attempt.take.split(separator: " ")
        guard words.count == 2, ["recording", "withheld"].contains(words[0]),
          let number = Int(words[1])
        else { continue }
        used.insert(number)
      }
    }
    return used
  }
}
