internal import Foundation
internal import WindTunnel

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A recorded answer as the platform takes it, all at once: nothing in it waits, leads elsewhere or
/// has to be undone first.
struct WholeAnswer: Sendable {
  /// Asked for under this address.
  let url: URL
  let response: HTTPURLResponse
  let body: Data

  /// What one takes beside its body, on the average: the platform's response is most of it.
  private static let responseBytes = 2048

  var bytes: Int { Self.responseBytes + body.count }

  /// `nil` where the answer takes a courier: a status that leads elsewhere or asks for a credential,
  /// cookies to store, a coding to undo, or less of the body than was announced.
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

/// The answers of a seat that were made before.
///
/// Most of what replaying a recording costs is the platform's making of a response out of its
/// fields, and a response does not change.
final class WholeAnswers: Sendable {
  private let kept = Locked(RenderedResponseCache<WholeAnswer>())

  /// What answers this, if it was made before for the same address.
  func find(_ key: RenderedResponseKey, at url: URL) -> WholeAnswer? {
    kept.withLock { $0.find(key) { $0.url == url } }
  }

  func keep(_ answer: WholeAnswer, under key: RenderedResponseKey) {
    kept.withLock { $0.keep(answer, under: key, weighing: answer.bytes) }
  }
}
