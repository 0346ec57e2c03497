internal import Foundation
internal import WindTunnel

/// Says what a call brought, held against what was recorded for it.
struct RecordedBodies: Sendable {
  /// The bodies of the takes of each request; empty where one of them cannot be compared.
  private var bodies: [RequestKey: [Data]] = [:]
  /// The requests that are answered with JSON and nothing else.
  private var inJSON: Set<RequestKey> = []
  private let matcher: Matcher

  init(_ cassette: Cassette, matcher: Matcher) {
    self.matcher = matcher
    var (incomparable, otherwise): (Set<RequestKey>, Set<RequestKey>) = ([], [])
    for interaction in cassette.interactions {
      let key = matcher.key(interaction.request)
      // A redirect's answer is another's, and a client opens what is coded.
      guard let response = interaction.response, 200..<300 ~= response.status,
        response.headers["Content-Encoding"] == nil
      else {
        incomparable.insert(key)
        continue
      }
      let body = response.body.data
      bodies[key, default: []].append(body)
      if Self.isJSON(body) { inJSON.insert(key) } else { otherwise.insert(key) }
    }
    for key in incomparable { bodies[key] = nil }
    inJSON.subtract(incomparable.union(otherwise))
  }

  /// Whether what a call brought is one of the bodies that were recorded; `nil` where that cannot be
  /// told: what a program printed may be made of a body, unless it is one or the beginning of one.
  func match(_ landing: Landing, _ request: Request) -> Bool? {
    guard let body = landing.body, let recorded = bodies[matcher.key(request)] else { return nil }
    if recorded.contains(body) { return true }
    guard landing.isPrinted else { return false }
    return !body.isEmpty && recorded.contains { $0.starts(with: body) } ? false : nil
  }

  /// Whether a client that knows what it asked for can make something of what came. Of what a program
  /// printed only a page says that it cannot: the rest may be the program's own words.
  func decodes(_ landing: Landing, _ request: Request) -> Bool {
    guard let body = landing.body, inJSON.contains(matcher.key(request)) else { return true }
    return landing.isPrinted ? !Self.isPage(body) : Self.isJSON(body)
  }

  private static func isJSON(_ body: Data) -> Bool {
    // Why it is none does not matter here.
    (try? JSON(parsing: body, source: "")) != nil
  }

  private static func isPage(_ body: Data) -> Bool {
    let head = String(decoding: body.prefix(200), as: UTF8.self).drop { $0.isWhitespace }
    return ["<!doctype html", "<html"].contains { head.lowercased().hasPrefix($0) }
  }
}
