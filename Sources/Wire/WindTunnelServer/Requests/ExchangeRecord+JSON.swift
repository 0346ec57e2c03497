internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

extension ExchangeRecord {
  /// The maximum size of content in a row, in bytes.
  static let rowBodyBytesMax = 64 << 10

  /// Returns the exchange as a row of `GET /requests`, without secrets, with its time since the
  /// start of the server.
  ///
  /// The members are
  /// `{"id", "atMilliseconds", "method", "url", "source", "interaction", "ordinal", "faults",
  /// "status", "bytes", "latencyMilliseconds", "ending", "headers", "body", "bodyBytes"}`, and
  /// `"notDone"` with a sentence for each fault that was not applied, if any, `"protocol": "h2"` if
  /// it was received by HTTP/2, and `"cause"` if another request's fault cut the response. The
  /// members of the response are null until it ends.
  func row(since start: Date, by rules: RedactionRules) -> JSON {
    let request = request
    let safe = shown(by: rules)
    let at = max(.zero, Duration.seconds((moment ?? start).timeIntervalSince(start)))
    var members = JSON.members([
      "id": .number(id), "atMilliseconds": .number(at.inMilliseconds, places: 3),
      "method": .text(request.method), "url": .text("\((safe ?? request).url.withoutSecrets)"),
      "source": .text(take.name), "interaction": .orNull(take.interaction),
      "ordinal": .number(ordinal), "faults": .array(decided.map(\.json)),
      "status": .orNull(end?.status), "bytes": .orNull(end?.bytes),
      "latencyMilliseconds": end.map { .number($0.latency.inMilliseconds, places: 3) } ?? .null,
      "ending": .orNull(end?.ending.name),
    ])
    members += content(of: safe)
    if !undone.isEmpty { members.add("notDone", .texts(undone.map(\.description))) }
    if connection?.isHTTP2 == true { members.add("protocol", "h2") }
    if end?.ending == .cut, let cause = end?.problem { members.add("cause", .text(cause)) }
    return .object(members)
  }

  /// The request without secrets and large content; `nil` if it cannot be searched for secrets.
  private func shown(by rules: RedactionRules) -> Request? {
    var shown = request
    if shown.body.count > Self.rowBodyBytesMax { shown.body = .empty }
    return Interaction(shown, Response()).withoutSecrets(by: rules)?.request
  }

  /// The fields and the content; null if they cannot be shown.
  private func content(of safe: Request?) -> [JSON.Member] {
    let count = isBodyKept ? request.body.count : nil
    let body = safe.flatMap { request -> JSON? in
      if request.body.count == 0 { return nil }
      return request.body.text.map { ["text": .text($0)] }
        ?? ["base64": .text(request.body.data.base64EncodedString())]
    }
    let fields = safe?.headers.map { JSON.array([.text($0.name), .text($0.value)]) }
    return JSON.members([
      "headers": fields.map { .array($0) } ?? .null, "body": body ?? .null,
      "bodyBytes": .orNull(count),
    ])
  }

  /// The method and URL of the request, without secrets, such as
  /// `GET https://api.example.com/home`.
  var line: String { "\(request.method) \(request.url.withoutSecrets)" }
}

extension ExchangeEnd.Reason {
  /// The kind of the ending in one word; the symptom if the exchange failed.
  var name: String {
    switch self {
    case .whole, .cut, .clientLeft, .stopped: "\(self)"
    case .failed(let symptom): symptom.rawValue
    }
  }
}
