/// How long the parts of attempts took, each part by itself.
struct StageTally: Sendable, Hashable {
  /// In the order in which they happen; of a part that was never seen nothing.
  private(set) var stages = Array(
    repeating: Distribution(exactMax: 10_000),
    count: ExchangeStages.names.count
  )

  mutating func add(_ seen: ExchangeStages) {
    // Without a list of them: this is done for each attempt of millions.
    add(seen.dns, 0)
    add(seen.connect, 1)
    add(seen.tls, 2)
    add(seen.upload, 3)
    add(seen.firstByte, 4)
    add(seen.body, 5)
  }

  private mutating func add(_ length: Duration?, _ place: Int) {
    if let length { stages[place].add(length) }
  }

  mutating func merge(_ other: StageTally) {
    for place in stages.indices { stages[place].merge(other.stages[place]) }
  }

  /// The figures of those that were seen.
  var figures: [Metrics.StageLatency] {
    zip(ExchangeStages.names, stages).map { Metrics.StageLatency($0, $1) }
  }
}

extension Metrics {
  /// How long a part of the attempts took.
  public struct StageLatency: Sendable, Hashable {
    /// `dns`, `connect`, `tls`, `upload`, `firstByte` or `body`; in front of them, where programs were
    /// flown, `startUp`, which is in no latency.
    public var stage: String
    /// Of how many attempts it was seen; of `startUp` of how many calls.
    public var attempts: Int
    /// What half of them stay within; `nil` where it was never seen.
    public var p50: Duration?
    /// What 95 % of them stay within.
    public var p95: Duration?
    /// The longest.
    public var max: Duration?

    init(_ stage: String, _ distribution: Distribution) {
      let sorted = distribution.sorted
      (self.stage, attempts) = (stage, sorted.count)
      (p50, p95) = (sorted.percentile(0.5), sorted.percentile(0.95))
      max = sorted.percentile(1)
    }

    /// As people say it.
    var words: String {
      switch stage {
      case "startUp": "starting the program (in no latency)"
      case "dns": "looking the name up"
      case "connect": "connecting"
      case "tls": "TLS handshake"
      case "upload": "request"
      case "firstByte": "until the first byte"
      default: "body"
      }
    }

    var json: JSON {
      [
        "stage": .text(stage), "attempts": .number(attempts), "p50Milliseconds": .time(p50),
        "p95Milliseconds": .time(p95), "maxMilliseconds": .time(max),
      ]
    }
  }
}
