internal import Foundation
internal import WindTunnel

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A response as a task's client takes it, all of it at once: nothing in it waits, leads elsewhere or
/// has to be undone first.
struct RenderedResponse: Sendable {
  /// The address that it was asked for under.
  let url: URL
  let response: HTTPURLResponse
  let body: Data

  /// The average size of one without its body: the platform's response is most of it.
  private static let responseBytes = 2048

  var bytes: Int { Self.responseBytes + body.count }

  /// Makes one; `nil` where the answer takes a courier: a status that leads elsewhere or asks for a
  /// credential, cookies to store, a coding to undo, or less of the body than was announced.
  init?(_ answer: (head: ResponseHead, body: Data), at url: URL) {
    let (head, body) = answer
    guard 200...299 ~= head.status, head.headers["Set-Cookie"] == nil,
      ContentCoding.coding(of: head) == nil,
      head.headers["Content-Length"].map({ Int($0) == body.count }) ?? true,
      !Response.hasNoContent(method: "GET", status: head.status),
      let response = Responses.response(head, at: url)
    else { return nil }
    (self.url, self.response, self.body) = (url, response, body)
  }
}

/// The responses that the tasks of one protocol class were sent before.
///
/// Most of what replaying a recording costs is the platform's making of a response out of its
/// fields, and a response does not change.
package final class RenderedResponses: Sendable {
  private let cache = Locked(RenderedResponseCache<RenderedResponse>())

  /// The number of times that a response was sent again.
  package var hits: Int { cache.withLock { $0.hits } }

  /// Returns what was made for the same address before, or makes it and keeps it.
  func response(
    under key: RenderedResponseKey,
    at url: URL,
    or make: () -> RenderedResponse?
  ) -> RenderedResponse? {
    if let known = cache.withLock({ $0.find(key) { $0.url == url } }) { return known }
    guard let made = make() else { return nil }
    cache.withLock { $0.keep(made, under: key, weighing: made.bytes) }
    return made
  }
}
