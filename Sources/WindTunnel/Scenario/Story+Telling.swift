extension Scenario {
  /// Whether a story tells this line of a connection (``Decision/line``).
  public func tells(_ line: String, ofConnection ordinal: Int, seed: UInt64, lane: Lane) -> Bool {
    let moment = Moment(seed, lane, Decision.connectionKey, ordinal, nil)
    return tells(line, moment, fired(at: moment) { $0.isForConnections })
  }

  /// Whether a story tells this line of a request (``Decision/line``).
  ///
  /// A rule that follows the clock or looks at fields is told with what it does where it fires at
  /// all; whether it did, only traffic knows. So a line may lack such rules' faults, and no others'.
  public func tells(
    _ line: String,
    of request: Request,
    key: RequestKey,
    seed: UInt64,
    lane: Lane,
    ordinal: Int
  ) -> Bool {
    let moment = Moment(seed, lane, key.text, ordinal, nil)
    return tells(line, moment, fired(request, at: moment))
  }

  private func tells(_ line: String, _ moment: Moment, _ fired: [Fired]) -> Bool {
    // Each line that is left when rules that need not have fired are taken out.
    let start = "\(moment.lane)\t\(moment.key)\t\(moment.ordinal)\t["
    guard line.hasPrefix(start), line.hasSuffix("]") else { return false }
    let text = Array(line.utf8.dropFirst(start.utf8.count).dropLast())
    var reached: Set<Int> = [0]
    for rule in fired where !rule.faults.isEmpty {
      let faults = rule.faults.map { "\($0.json)" }.joined(separator: ",")
      var next = rule.isCertain ? [] : reached
      for place in reached {
        let told = Array((place == 0 ? faults : "," + faults).utf8)
        if text[place...].starts(with: told) { next.insert(place + told.count) }
      }
      reached = next
    }
    return reached.contains(text.count)
  }
}
