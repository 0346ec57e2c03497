internal import WindTunnelSymptoms

extension RequestLog.Entry {
  /// As it is told, without secrets:
  /// `{"id", "atMilliseconds", "method", "url", "take", "interaction", "ordinal", "faults", "status",
  /// "bytes", "latencyMilliseconds", "ending"}`. While it is being answered, what an end has is null.
  package var json: JSON {
    [
      "id": .number(id), "atMilliseconds": .number(offset.inMilliseconds, places: 3),
      "method": .text(method), "url": .text("\(url.withoutSecrets)"),
      "take": .text(take.name), "interaction": take.interaction.map { .number($0) } ?? .null,
      "ordinal": .number(decision.ordinal), "faults": .array(decision.faults.map(\.json)),
      "status": end?.status.map { .number($0) } ?? .null,
      "bytes": end.map { .number($0.bytes) } ?? .null,
      "latencyMilliseconds": end.map { .number($0.latency.inMilliseconds, places: 3) } ?? .null,
      "ending": end.map { .text($0.ending.name) } ?? .null,
    ]
  }

  /// As a person says it, without secrets: `GET https://api.example.com/home`.
  package var line: String { "\(method) \(url.withoutSecrets)" }

  /// As a pattern is held against it.
  var request: Request { Request(method, url) }
}

extension SeenRequest.Ending {
  fileprivate var name: String {
    switch self {
    case .whole: "whole"
    case .cut: "cut"
    case .clientLeft: "clientLeft"
    case .stopped: "stopped"
    case .failed(let symptom): symptom.rawValue
    }
  }
}

/// Which requests of a log are meant.
package struct RequestFilter: Sendable, Hashable {
  package var method: String?
  package var path: RequestPattern?
  /// Only what came after the request of this number.
  package var since = 0
  package var status: Int?
  /// One of `Journal.Take.requestNames`.
  package var take: String?
  package var limit = RequestFilter.limitDefault

  package static let limitDefault = 1000

  package init() {}

  /// The requests that are meant, the first `limit` of them.
  package func entries(of log: RequestLog) -> [RequestLog.Entry] {
    let meant = log.entries[log.place(after: since)...].lazy.filter { entry in
      (method == nil || entry.method == method) && (take == nil || entry.take.name == take)
        && (status == nil || entry.end?.status == status)
        && path?.matches(entry.request) != false
    }
    return Array(meant.prefix(limit))
  }
}
