// The text of a proxy's report, version 1: a report whose `seenBy` says who saw it.
//
//   { "windtunnelReport": 1, "seenBy": "proxy", "seed": 1, "durationMilliseconds": 61034,
//     "environment": { "os": "…" },
//     "scenarios": [ { "name": "metro", "shown": 3, "blank": 1, "requests": 12, "repeats": 2, …,
//       "endpoints": [ { "request": "GET http://api.example.com/home", "requests": 4, … } ],
//       "connections": [ { "host": "api.example.com:443", "connectMilliseconds": 82, … } ] } ],
//     "unseen": [ "…" ] }

public import Foundation

extension ProxyReport {
  /// The report's text as JSON.
  public func jsonData() -> Data {
    let json: JSON = .object([
      JSON.Member("windtunnelReport", .number(CassetteFormat.version)),
      JSON.Member("seenBy", "proxy"),
      JSON.Member("seed", .number(seed)),
      JSON.Member("durationMilliseconds", .number(duration.inMilliseconds, places: 0)),
      JSON.Member(
        "environment",
        .object(environment.map { JSON.Member(JSON.Text($0.name), .text($0.value)) })
      ),
      JSON.Member("scenarios", .array(scenarios.map(\.json))),
      JSON.Member("unseen", .array(unseen.map { .text($0) })),
    ])
    return Data(json.fileBytes())
  }
}

extension ProxyReport.Part {
  fileprivate var json: JSON {
    .object(
      [
        JSON.Member("name", .text(name)),
        JSON.Member("shown", .number(shown)),
        JSON.Member("blank", .number(blank)),
      ] + total.members + [
        JSON.Member(
          "endpoints",
          .array(
            requests.map {
              .object(
                [JSON.Member("request", .text("\($0.method) \($0.place)"))] + $0.members
              )
            }
          )
        ),
        JSON.Member("connections", .array(connections.map(\.json))),
      ]
    )
  }
}

extension ProxyReport.Endpoint {
  fileprivate var members: [JSON.Member] {
    func time(_ value: Duration?) -> JSON {
      value.map { .number($0.inMilliseconds, places: 3) } ?? .null
    }
    return [
      JSON.Member("requests", .number(count)),
      JSON.Member("repeats", .number(repeats)),
      JSON.Member("failed", .number(failed)),
      JSON.Member(
        "statuses",
        .object(
          statuses.sorted { $0.key < $1.key }.map {
            JSON.Member(JSON.Text(String($0.key)), .number($0.value))
          }
        )
      ),
      JSON.Member("bytes", .number(bytes)),
      JSON.Member("p50Milliseconds", time(p50)),
      JSON.Member("p95Milliseconds", time(p95)),
    ]
  }
}

extension TunnelEnd {
  fileprivate var json: JSON {
    .object([
      JSON.Member("host", .text(authority)),
      JSON.Member(
        "connectMilliseconds",
        connect.map { .number($0.inMilliseconds, places: 3) } ?? .null
      ),
      JSON.Member("bytesUp", .number(bytesUp)),
      JSON.Member("bytesDown", .number(bytesDown)),
      JSON.Member("durationMilliseconds", .number(duration.inMilliseconds, places: 3)),
      JSON.Member("broken", .bool(isBroken)),
      JSON.Member("ending", .text(reason.words)),
    ])
  }
}
