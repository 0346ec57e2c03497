internal import WindTunnel

extension Interaction {
  /// Tells whether an answer that is dealt with these faults is older than its server lets anybody
  /// show it without asking again (RFC 9111 §4.2, RFC 5861 §3).
  func isStaleOnArrival(with faults: [Fault]) -> Bool {
    guard request.method == "GET" else { return false }
    var age: Int?
    for case .alter(.stale(let seconds)) in faults { age = seconds }
    // What was recorded was of that age then, and a tape is played at any time.
    guard let age, let fields = response?.headers.values("Cache-Control") else { return false }
    let directives = fields.flatMap { $0.split(separator: ",") }
      .map { $0.filter { $0 != " " && $0 != "\"" }.lowercased() }
    func seconds(_ name: String) -> Int? {
      directives.lazy.filter { $0.hasPrefix("\(name)=") }
        .compactMap { Int($0.dropFirst(name.count + 1)) }.first
    }
    // Without a word from the server a cache may think of a time by itself.
    guard let fresh = seconds("max-age"), fresh >= 0 else { return false }
    let (shown, isEndless) = fresh.addingReportingOverflow(seconds("stale-while-revalidate") ?? 0)
    return !isEndless && age > shown
  }
}
