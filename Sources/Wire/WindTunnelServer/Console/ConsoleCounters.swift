internal import WindTunnel

/// The statistics of a console since its start, and the latencies of its latest responses.
package struct ConsoleCounters: Sendable {
  /// The number of latest responses whose latencies are kept.
  static let latenciesMax = 1000
  /// The maximum number of different statuses and faults that are counted by name.
  static let namesMax = 200

  private(set) var requests = 0
  private var answered = 0
  private var failed = 0
  private var faulted = 0
  private var retries = 0
  private var bytes = 0
  private var open = 0
  private var statuses: [String: Int] = [:]
  private var takes: [String: Int] = [:]
  private var faults: [String: Int] = [:]
  private var latencies: [Double] = []
  private var nextLatency = 0
  /// The current second, and the number of requests in it and in the previous one.
  private var second = (number: Int64(0), now: 0, before: 0)

  /// Counts the start of an exchange.
  mutating func began(_ names: [String], take: String?, attempt: Int, at moment: Duration) {
    requests += 1
    open += 1
    if attempt > 1 { retries += 1 }
    if !names.isEmpty { faulted += 1 }
    for name in names { Self.count(name, in: &faults) }
    if let take { Self.count(take, in: &takes) }
    roll(to: moment)
    second.now += 1
  }

  /// Counts that a request was handled by another source than intended.
  mutating func answers(_ take: String, insteadOf meant: String) {
    if let count = takes[meant] { takes[meant] = count > 1 ? count - 1 : nil }
    Self.count(take, in: &takes)
  }

  /// Counts the end of an exchange.
  mutating func ended(status: Int?, bytes: Int?, latency: Duration?, isWhole: Bool) {
    open = max(0, open - 1)
    self.bytes += bytes ?? 0
    if let status { Self.count("\(status)", in: &statuses) }
    // A successful tunnel has no status.
    if isWhole, (status ?? 200) < 400 { answered += 1 } else { failed += 1 }
    guard let latency else { return }
    if latencies.count < Self.latenciesMax {
      latencies.append(latency.inMilliseconds)
    } else {
      latencies[nextLatency] = latency.inMilliseconds
      nextLatency = (nextLatency + 1) % Self.latenciesMax
    }
  }

  /// Counts an exchange that has already ended.
  package mutating func took(_ row: ConsoleRow, at moment: Duration) {
    let names = row.faults.compactMap { $0.split(separator: " ").first.map(String.init) }
    began(names, take: row.take, attempt: row.attempt, at: moment)
    ended(
      status: row.status,
      bytes: row.bytes,
      latency: row.latency,
      isWhole: row.ending == "whole"
    )
  }

  private static func count(_ name: String, in counts: inout [String: Int]) {
    guard counts[name] != nil || counts.count < namesMax else { return }
    counts[name, default: 0] += 1
  }

  private mutating func roll(to moment: Duration) {
    let number = moment.components.seconds
    guard number != second.number else { return }
    second = (number, 0, number == second.number + 1 ? second.now : 0)
  }

  /// The statistics as JSON, with the number of exchanges that were not followed. Latencies are
  /// percentiles of the latest responses by nearest rank.
  func json(at moment: Duration, unseen: Int = 0) -> JSON {
    var rolled = self
    rolled.roll(to: moment)
    let sorted = latencies.sorted()
    let latency: JSON =
      sorted.isEmpty
      ? .null
      : [
        "p50": Self.rank(0.5, sorted), "p95": Self.rank(0.95, sorted),
        "p99": Self.rank(0.99, sorted),
      ]
    return [
      "at": .milliseconds(moment), "requests": .number(requests),
      "unseen": .number(unseen), "answered": .number(answered),
      "failed": .number(failed), "faulted": .number(faulted), "open": .number(open),
      "retries": .number(retries), "bytes": .number(bytes),
      "perSecond": .number(rolled.second.before), "latency": latency,
      "statuses": Self.json(statuses), "sources": Self.json(takes), "faults": Self.json(faults),
    ]
  }

  private static func rank(_ share: Double, _ sorted: [Double]) -> JSON {
    let place = Int((share * Double(sorted.count)).rounded(.up)) - 1
    return .number(sorted[min(max(place, 0), sorted.count - 1)], places: 3)
  }

  private static func json(_ counts: [String: Int]) -> JSON {
    .object(counts.sorted { $0.key < $1.key }.map { .init(.init($0.key), .number($0.value)) })
  }
}
