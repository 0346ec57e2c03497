internal import Foundation
internal import WindTunnel
internal import WindTunnelReports

/// What folding ten million calls into a report's figures costs on one core: calls a second, and
/// memory above what there was before.
///
/// The calls are made in memory, one after the other, as a drill with many endpoints tells of them:
/// most went well at once, some met a fault and were tried again.
enum FoldBench {
  private static let count = 10_000_000

  static func run() {
    let templates = templates()
    let before = ProcessFacts.peakBytes
    // The core's time, since others may use it, too.
    let start = clock()
    var fold = MetricsAccumulator()
    var bits: UInt64 = 1
    for number in 0..<count {
      bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      var call = templates[Int(bits >> 33) % templates.count]
      call.call = number
      // From a fifth of a millisecond to a second.
      call.latency = .microseconds(200 + Int64(bits >> 44))
      fold.add(call)
    }
    let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
    let peak = ProcessFacts.peakBytes
    let metrics = fold.metrics
    let rate = Double(count) / seconds / 1e6
    print(
      "report   \(count) calls: \(rate.shown()) million a second of one core, "
        + "\((peak - before) / 1_000_000) MB above the start, "
        + "P95 \(metrics.p95.map { "\($0)" } ?? "–")"
    )
  }

  /// The cost of holding a million calls against every rule, over that of folding them.
  static func runFindings() {
    let templates = templates()
    let calls = (0..<1_000_000).map { number in
      var call = templates[number % templates.count]
      call.call = number
      return call
    }
    var ratios: [Double] = []
    var broken = 0
    for _ in 0..<5 {
      let start = clock()
      let fold = MetricsAccumulator(calls)
      let middle = clock()
      broken = ClientRun(of: .library, on: .onTheWire, calls).held().count { $0.finding != nil }
      let end = clock()
      precondition(fold.metrics.calls == calls.count)
      ratios.append(Double(end - middle) / Double(max(1, middle - start)))
    }
    ratios.sort()
    print(
      "report   findings : fold of 1000000 calls: ratio \(ratios[2].shown()) "
        + "(\(ratios[0].shown())–\(ratios[4].shown())), \(broken) found"
    )
  }

  private static func templates() -> [Observation] {
    let endpoints = (0..<8).map { "GET /endpoints/number/\($0)" }
    return (0..<64).map { number in
      let endpoint = endpoints[number % endpoints.count]
      let isFaulty = number % 10 == 3
      let faults = isFaulty ? #"[{"status":503,"retryAfterSeconds":1}]"# : "[]"
      var first = Observation.Attempt(
        decision: AttemptDecision(line: "scenario/\(number)\t\(endpoint)\t1\t\(faults)"),
        source: ResponseSource(words: isFaulty ? "withheld 3" : "recording 3")
      )
      first.start = .milliseconds(number * 7)
      first.end = .milliseconds(number * 7 + 3)
      first.isRepeatable = true
      var attempts = [first]
      if isFaulty {
        first.decision = AttemptDecision(line: "scenario/\(number)\t\(endpoint)\t2\t[]")
        first.start = .milliseconds(number * 7 + 1010)
        first.source = ResponseSource(words: "recording 3")
        attempts.append(first)
      }
      var call = Observation(
        call: number,
        endpoint: endpoint,
        isCritical: number % 2 == 0,
        ending: number % 20 == 13 ? .failed("timedOut") : .succeeded,
        showed: true,
        latency: .zero,
        attemptCount: attempts.count,
        attempts: attempts
      )
      call.intendedStart = .milliseconds(number * 7)
      call.clientAttempts = attempts.count
      call.bodyMatches = true
      return call
    }
  }
}
