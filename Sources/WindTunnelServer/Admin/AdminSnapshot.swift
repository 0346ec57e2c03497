internal import Foundation
internal import WindTunnel

/// The state of a server at one moment.
struct AdminSnapshot: Sendable {
  var log = RequestLog()
  var interactions: [Interaction] = []
  var scenario = Scenario.calm
  var seed: UInt64 = 1
  /// The scenarios that have names.
  var shipped: [Scenario] = []
  var openConnections = 0
  var uptime = Duration.zero

  var health: JSON {
    [
      "status": "ok", "scenario": .text(scenario.name),
      "interactions": .number(interactions.count), "uptimeSeconds": uptimeSeconds,
    ]
  }

  /// `next` is what to ask `since` for what comes after these.
  func requests(_ filter: RequestFilter) -> JSON {
    let entries = filter.entries(of: log)
    // Where the limit cut the list, the rest comes next; else only what is new.
    let next = entries.count == filter.limit ? entries.last?.id : log.entries.last?.id
    return [
      "requests": .array(entries.map(\.json)), "dropped": .number(log.dropped),
      "next": .number(next ?? filter.since),
    ]
  }

  var plays: JSON {
    let rows = interactions.enumerated().map { place, interaction -> JSON in
      [
        "number": .number(place + 1),
        "request": .text("\(interaction.request.method) \(interaction.request.url.withoutSecrets)"),
        "status": interaction.response.map { .number($0.status) } ?? .null,
        "plays": .number(log.plays[place] ?? 0),
      ]
    }
    return ["interactions": .array(rows)]
  }

  var weather: JSON {
    // What a scenario writes is JSON.
    let whole = (try? JSON(parsing: scenario.data(), source: scenario.name)) ?? .null
    return [
      "seed": .number(seed), "shipped": .array(shipped.map { .text($0.name) }), "scenario": whole,
    ]
  }

  private var uptimeSeconds: JSON { .number(uptime.inMilliseconds / 1000, places: 3) }

  /// Prometheus' text format, version 0.0.4.
  var metrics: String {
    var text = Self.family("requests_total", "counter", "Requests by what was dealt for them.")
    for name in Journal.Take.requestNames {
      text += "windtunnel_requests_total{take=\"\(name)\"} \(log.takeCounts[name] ?? 0)\n"
    }
    text += Self.family("faults_total", "counter", "Faults that requests met, by kind.")
    for (name, count) in log.faultCounts.sorted(by: { $0.key < $1.key }) {
      text += "windtunnel_faults_total{fault=\"\(name)\"} \(count)\n"
    }
    text += Self.family("connections_open", "gauge", "Connections that are open.")
    text += "windtunnel_connections_open \(openConnections)\n"
    text += Self.family("uptime_seconds", "gauge", "Seconds since the server began.")
    return text + "windtunnel_uptime_seconds \(uptimeSeconds)\n"
  }

  private static func family(_ name: String, _ type: String, _ help: String) -> String {
    "# HELP windtunnel_\(name) \(help)\n# TYPE windtunnel_\(name) \(type)\n"
  }
}

extension RequestFilter {
  private static let names = ["method", "path", "since", "status", "take", "limit"]

  /// Reads what follows the question mark, such as `path=/users/*&status=503`.
  init(query: String?) throws(FormatError) {
    self.init()
    for pair in (query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = Self.decoded(parts[0])
      let value = parts.count == 2 ? Self.decoded(parts[1]) : ""
      switch name {
      case "method":
        if let meant = RequestPattern.meant(value) {
          throw Self.error(name, "a method is written in capitals", "Did you mean \(meant)?")
        }
        method = value
      case "path": path = RequestPattern(value)
      case "since": since = try Self.number(name, value, in: 0...Int.max)
      case "status": status = try Self.number(name, value, in: 100...999)
      case "limit": limit = try Self.number(name, value, in: 1...RequestLog.entriesMax)
      case "take":
        let takes = Journal.Take.requestNames
        guard takes.contains(value) else {
          throw Self.error(name, "\"\(value)\" is none of \(takes.joined(separator: ", "))", nil)
        }
        take = value
      default:
        throw Self.error(
          name,
          "unknown filter",
          nearest(to: name, in: Self.names).map { "Did you mean \"\($0)\"?" }
            ?? "Known here: \(Self.names.joined(separator: ", "))."
        )
      }
    }
  }

  private static func decoded(_ text: Substring) -> String {
    let text = text.replacing("+", with: " ")
    return text.removingPercentEncoding ?? String(text)
  }

  private static func number(
    _ name: String,
    _ text: String,
    in range: ClosedRange<Int>
  ) throws(FormatError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      let bounds =
        range.upperBound == .max
        ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
      throw error(name, "\"\(text)\" is not a whole number \(bounds)", nil)
    }
    return number
  }

  private static func error(_ name: String, _ problem: String, _ remedy: String?) -> FormatError {
    FormatError(source: "query", place: name, problem: problem, remedy: remedy)
  }
}
