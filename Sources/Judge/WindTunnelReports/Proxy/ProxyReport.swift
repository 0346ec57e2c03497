public import Foundation
internal import WindTunnelSymptoms

/// A report of the traffic through a proxy. The proxy does not control its client, so it observes
/// requests and tunnels, but no calls.
public struct ProxyReport: Sendable, Hashable {
  /// The seed of all random draws.
  public var seed: UInt64
  /// The time for which the proxy ran.
  public var duration: Duration
  /// The software that was used for the measurements.
  public var environment: [Report.Fact]
  /// The scenarios, in the order in which they ran.
  public var scenarios: [Part]
  /// The parts of the run between two changes of the scenario, in their order.
  public var segments: [Segment]
  /// The facts that could not be observed, one sentence each.
  public var unseen: [String]

  /// A part of the run, with the figures of the requests that were decided in it.
  public struct Segment: Sendable, Hashable {
    /// The number of the part, the scenario, its hash and seed, and the beginning.
    public var part: ProxyLog.Segment
    /// The time at which it ended, as an offset in the run.
    public var end: Duration
    /// The combined figures of its requests.
    public var total: Endpoint
  }

  /// The traffic of one scenario.
  public struct Part: Sendable, Hashable {
    /// The name of the scenario.
    public var name: String
    /// The requests that could be read, by method and URL.
    public var requests: [Endpoint]
    /// The combined figures of all requests.
    public var total: Endpoint
    /// The tunnels that were closed, in the order of their ends.
    public var connections: [TunnelEnd]
    /// The number of times that a user marked a page with content.
    public var shown: Int
    /// The number of times that a user marked a blank screen.
    public var blank: Int
    /// The result of each rule, for all clients together.
    public var rules: [RuleStanding]
    /// The rules that may be broken in the scenario, with the reasons.
    public var allowed: [AllowedRule]
    /// The findings of rules that may be broken at some endpoints, without the calls to these
    /// endpoints.
    let elsewhere: [String: Finding]
    /// The calls that show the findings.
    let shownCalls: [ProxiedCall]
  }

  /// The requests of one method and URL.
  public struct Endpoint: Sendable, Hashable {
    /// The method of the requests.
    public var method: String
    /// The URL without user information and query.
    public var place: String
    /// The number of these requests.
    public var count: Int
    /// The number of requests that equal an earlier one, including the query. They are retries, as
    /// far as this can be recognised without the client.
    public var repeats: Int
    /// The number of requests without a complete response of a status below 400.
    public var failed: Int
    /// The number of responses with each status.
    public var statuses: [Int: Int]
    /// The median latency of the requests.
    public var p50: Duration?
    /// The 95th percentile of the latency of the requests, by nearest rank.
    public var p95: Duration?
    /// The number of bytes of content that were sent to the client.
    public var bytes: Int

    /// Calculates the figures of requests.
    init(_ method: String, _ place: String, _ seen: [ProxyLog.Request]) {
      (self.method, self.place) = (method, place)
      count = seen.count
      repeats = count - Set(seen.map { "\($0.method) \($0.url)" }).count
      failed = seen.count { $0.end.ending != .whole || ($0.end.status ?? 600) >= 400 }
      statuses = Dictionary(grouping: seen.compactMap(\.end.status)) { $0 }.mapValues(\.count)
      let latencies = seen.map(\.end.latency).sorted()
      p50 = Statistics.percentile(0.50, ofSorted: latencies)
      p95 = Statistics.percentile(0.95, ofSorted: latencies)
      bytes = seen.reduce(0) { $0 + $1.end.bytes }
    }
  }

  /// Creates a report from the log of a proxy.
  ///
  /// - Parameters:
  ///   - log: The events.
  ///   - seed: The seed of all random draws.
  ///   - duration: The time for which the proxy ran.
  ///   - environment: The software that was used for the measurements.
  ///   - allowed: The rules that may be broken, by scenario.
  public init(
    _ log: ProxyLog,
    seed: UInt64,
    duration: Duration,
    environment: [Report.Fact] = [],
    allowing allowed: [String: [AllowedRule]] = [:]
  ) {
    (self.seed, self.duration, self.environment) = (seed, duration, environment)
    let exchanges = Dictionary(grouping: log.exchanges) { $0.scenario ?? "" }
    scenarios = log.scenarios.map { name in
      Part(name, log, exchanges[name] ?? [], allowing: allowed[name] ?? [])
    }
    let parts = Dictionary(grouping: log.requests) { $0.segment }
    let ends = log.segments.dropFirst().map(\.start) + [duration]
    segments = zip(log.segments, ends).map { part, end in
      Segment(part: part, end: end, total: Endpoint("*", "*", parts[part.number] ?? []))
    }
    unseen = Self.unseen(log)
  }

  private static func unseen(_ log: ProxyLog) -> [String] {
    var sentences = [
      "Calls that the client served from a cache, or cancelled before sending."
    ]
    let count = log.tunnels.count { $0.connect != nil }
    if count > 0 {
      sentences.append(
        "The content of \(count.counted("tunnel")): requests, statuses and retries."
      )
    }
    let refused = log.tunnels.count { $0.reason == .certificateRefused }
    if refused > 0 {
      sentences.append(
        "The requests of \(refused.counted("connection")): the client refused the "
          + "proxy's certificate. http://wind.tunnel/ explains how to trust it. An app that pins "
          + "its server's certificate cannot be observed."
      )
    }
    sentences.append("Traffic that does not use the proxy, such as UDP and other apps' own routes.")
    if log.dropped > 0 {
      sentences.append(
        "\(log.dropped) requests and connections beyond the first \(ProxyLog.entriesMax)."
      )
    }
    if !log.turnedAway.isEmpty {
      let peers = log.turnedAway.sorted().prefix(5).joined(separator: ", ")
      sentences.append("\(log.turnedAway.count) peers that were rejected: \(peers).")
    }
    return sentences
  }
}

extension ProxyReport.Part {
  fileprivate init(
    _ name: String,
    _ log: ProxyLog,
    _ exchanges: [ProxiedExchange],
    allowing allowed: [AllowedRule]
  ) {
    (self.name, self.allowed) = (name, allowed)
    let calls = ProxiedCall.all(in: exchanges)
    let flight = ClientRun(of: .proxied, on: .onTheWire, calls.map(\.observation))
    rules = flight.held()
    let rest = allowed.breaches(of: rules, in: flight)
    elsewhere = rest
    // The number of a call is its index.
    shownCalls = rules.compactMap(\.finding).map { calls[(rest[$0.rule] ?? $0).call] }
    let seen = log.requests.filter { $0.end.scenario == name }
    connections = log.tunnels.filter { $0.scenario == name }
    requests = seen.grouped { "\($0.method) \($0.place)" }.map { _, all in
      ProxyReport.Endpoint(all[0].method, all[0].place, all)
    }
    total = ProxyReport.Endpoint("*", "*", seen)
    let marks = log.marks.filter { $0.scenario == name }.map(\.mark)
    shown = marks.count { $0 == .shown }
    blank = marks.count { $0 == .blank }
  }

  fileprivate var json: JSON {
    let endpoints = requests.map { endpoint in
      JSON.object(
        JSON.members(["request": .text("\(endpoint.method) \(endpoint.place)")])
          + endpoint.members
      )
    }
    let head = JSON.members(["name": .text(name), "shown": .number(shown), "blank": .number(blank)])
    let lists = JSON.members([
      "endpoints": .array(endpoints), "connections": .array(connections.map(\.json)),
      "rules": .array(rules.map(\.json)),
    ])
    return .object(head + total.members + lists)
  }
}

extension ProxyLog.Request {
  /// The URL without parts that may be private: user information, query, and secrets in the path.
  fileprivate var place: String {
    var shown = url
    (shown.userInfo, shown.query) = (nil, nil)
    return "\(shown.withoutSecrets)"
  }
}

extension TunnelEnd.Reason {
  /// The reason as text for a report.
  public var words: String {
    switch self {
    case .closed: "closed"
    case .clientReset: "reset by the client"
    case .originReset: "reset by the origin"
    case .cut: "broken by the network conditions"
    case .refused(let status): "refused with \(status)"
    case .failed(let symptom): "failed: \(symptom.rawValue)"
    case .certificateRefused: "the client refused the certificate"
    case .handshakeFailed(let reason): "no TLS: \(reason)"
    case .expired: "expired"
    case .stopped: "open until the end"
    }
  }
}

// The JSON of a proxy's report, version 1. Its `seenBy` is `proxy`.
//
//   { "windtunnelReport": 1, "seenBy": "proxy", "seed": 1, "durationMilliseconds": 61034,
//     "environment": { "os": "…" },
//     "findings": [ { "scenario": "metro", "rule": "no-back-off", "severity": "error", "seen": "…",
//       "client": "192.168.1.20", "startMilliseconds": 12300, "steps": [ … ], … } ],
//     "scenarios": [ { "name": "metro", "shown": 3, "blank": 1, "requests": 12, "repeats": 2, …,
//       "endpoints": [ { "request": "GET http://api.example.com/home", "requests": 4, … } ],
//       "connections": [ { "host": "api.example.com:443", "connectMilliseconds": 82, … } ],
//       "rules": [ { "rule": "hangs", "standing": "notMet", "reason": "…" }, … ] } ],
//     "segments": [ { "number": 1, "scenario": "metro", "hash": "9a9ffb14c1af9d24", "seed": 1,
//       "startMilliseconds": 0, "endMilliseconds": 61034, "requests": 12, "repeats": 2, … } ],
//     "unseen": [ "…" ] }
extension ProxyReport {
  /// Returns the report as JSON.
  public func jsonData() -> Data {
    let json: JSON = [
      "windtunnelReport": .number(CassetteFormat.version), "seenBy": "proxy",
      "seed": .number(seed),
      "durationMilliseconds": .number(duration.inMilliseconds, places: 0),
      "environment": .object(environment.map(\.member)),
      "findings": .array(findings.map(self.json)), "scenarios": .array(scenarios.map(\.json)),
      "segments": .array(segments.map(\.json)), "unseen": .texts(unseen),
    ]
    return Data(json.fileBytes())
  }
}

extension ProxyReport.Segment {
  fileprivate var json: JSON {
    .object(
      JSON.members([
        "number": .number(part.number), "scenario": .text(part.scenario),
        "hash": .text(part.hash), "seed": .number(part.seed),
        "startMilliseconds": .orNull(part.start), "endMilliseconds": .orNull(end),
      ]) + total.members
    )
  }
}

extension ProxyReport.Endpoint {
  fileprivate var members: [JSON.Member] {
    let statuses = statuses.sorted { $0.key < $1.key }
      .map { JSON.Member(JSON.Text(String($0.key)), .number($0.value)) }
    return JSON.members([
      "requests": .number(count), "repeats": .number(repeats), "failed": .number(failed),
      "statuses": .object(statuses), "bytes": .number(bytes), "p50Milliseconds": .orNull(p50),
      "p95Milliseconds": .orNull(p95),
    ])
  }
}

extension TunnelEnd {
  fileprivate var json: JSON {
    [
      "host": .text(authority), "connectMilliseconds": .orNull(connect),
      "bytesUp": .number(bytesUp), "bytesDown": .number(bytesDown),
      "durationMilliseconds": .milliseconds(duration),
      "broken": .bool(isBroken), "ending": .text(reason.words),
    ]
  }
}
