internal import Foundation
internal import WindTunnel

/// Says whether what a call brought is what was recorded for it.
struct RecordedBodies: Sendable {
  /// The bodies of the takes of each request; empty where one of them cannot be compared.
  private var bodies: [RequestKey: [Data]] = [:]
  private let matcher: Matcher

  init(_ cassette: Cassette, matcher: Matcher) {
    self.matcher = matcher
    var incomparable: Set<RequestKey> = []
    for interaction in cassette.interactions {
      let key = matcher.key(interaction.request)
      // A redirect's answer is another's, and a client opens what is coded.
      guard let response = interaction.response, 200..<300 ~= response.status,
        response.headers["Content-Encoding"] == nil
      else {
        incomparable.insert(key)
        continue
      }
      bodies[key, default: []].append(response.body.data)
    }
    for key in incomparable { bodies[key] = nil }
  }

  /// Whether a body is one of those that were recorded; `nil` where that cannot be told.
  func match(_ body: Data?, _ request: Request) -> Bool? {
    guard let body, let recorded = bodies[matcher.key(request)] else { return nil }
    return recorded.contains(body)
  }
}
