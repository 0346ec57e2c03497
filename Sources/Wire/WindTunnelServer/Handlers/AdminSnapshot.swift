internal import Foundation
internal import WindTunnel

/// The state of a server at one moment.
struct AdminSnapshot: Sendable {
  var records = ExchangeRecords()
  /// The redaction rules in addition to the default ones.
  var redaction = RedactionRules.standard
  var interactions: [Interaction] = []
  var scenario = Scenario.calm
  var seed: UInt64 = 1
  /// The scenarios that can be selected by name.
  var shipped: [Scenario] = []
  /// The stubs that take precedence over the cassette.
  var stubs: [NamedStub] = []
  var isRecording = false
  var openConnections = 0
  var start = Date()
  var uptime = Duration.zero

  var health: JSON {
    [
      "status": "ok", "scenario": .text(scenario.name),
      "interactions": .number(interactions.count), "uptimeSeconds": uptimeSeconds,
    ]
  }

  /// Returns the requests; `next` is the value of `since` for the following ones.
  func requests(_ filter: RequestFilter) -> JSON {
    let entries = filter.entries(of: records)
    // If the limit shortened the list, the rest is next; otherwise only new requests are.
    let next = entries.count == filter.limit ? entries.last?.id : records.entries.last?.id
    return [
      "requests": .array(entries.map { $0.row(since: start, by: redaction) }),
      "dropped": .number(records.dropped),
      "next": .number(next ?? filter.since),
    ]
  }

  var plays: JSON {
    let rows = interactions.enumerated().map { place, interaction -> JSON in
      [
        "number": .number(place + 1),
        "request": .text("\(interaction.request.method) \(interaction.request.url.withoutSecrets)"),
        "status": interaction.response.map { .number($0.status) } ?? .null,
        "plays": .number(records.plays(of: place)),
      ]
    }
    return ["interactions": .array(rows)]
  }

  var stubList: JSON {
    let rows = stubs.map { stub -> JSON in
      let (request, status) = (stub.requests.description, stub.response.status)
      return ["name": .text(stub.name), "request": .text(request), "status": .number(status)]
    }
    return ["stubs": .array(rows)]
  }

  var weather: JSON {
    [
      "seed": .number(seed), "shipped": .array(shipped.map { .text($0.name) }),
      "scenario": scenario.json,
    ]
  }

  private var uptimeSeconds: JSON { .number(uptime.inMilliseconds / 1000, places: 3) }

  /// The metrics in Prometheus's text format, version 0.0.4.
  var metrics: String {
    var text = Self.family("requests_total", "counter", "Requests by the source of their response.")
    for name in Journal.Take.requestNames {
      text += "windtunnel_requests_total{source=\"\(name)\"} \(records.takeCounts[name] ?? 0)\n"
    }
    text += Self.family("faults_total", "counter", "Faults of requests, by kind.")
    for (name, count) in records.faultCounts.sorted(by: { $0.key < $1.key }) {
      text += "windtunnel_faults_total{fault=\"\(name)\"} \(count)\n"
    }
    text += Self.family("connections_open", "gauge", "Open connections.")
    text += "windtunnel_connections_open \(openConnections)\n"
    text += Self.family("uptime_seconds", "gauge", "Seconds since the server started.")
    return text + "windtunnel_uptime_seconds \(uptimeSeconds)\n"
  }

  private static func family(_ name: String, _ type: String, _ help: String) -> String {
    "# HELP windtunnel_\(name) \(help)\n# TYPE windtunnel_\(name) \(type)\n"
  }
}
