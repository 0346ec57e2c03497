internal import Foundation
@_spi(WindTunnel) internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The calls to a task's client that deliver a response.
///
/// Always a response before the end, and one terminal call (``LoadingTask``). Where only
/// the last piece of a body would reach the caller, the pieces are joined first.
struct ClientCalls {
  /// Weak: the interceptor holds the loading task, and that its calls.
  private weak let interceptor: Interceptor?
  private let context: LoadingContext
  private let errors: Symptom.Platform
  private var url: URL?
  private var response: HTTPURLResponse?
  /// The part of the response that has arrived.
  private(set) var progress = AnswerInHand()
  private var joined = Data()

  init(to interceptor: Interceptor, context: LoadingContext, errors: Symptom.Platform) {
    (self.interceptor, self.context, self.errors) = (interceptor, context, errors)
    url = interceptor.request.url
  }

  /// Hands over the status line and the fields.
  ///
  /// A live answer's body `isOpen`: it comes without its content coding, whatever the fields say.
  mutating func receive(_ head: ResponseHead, at url: URL?, isOpen: Bool = false) {
    guard let interceptor, let url, let response = Responses.response(head, at: url) else { return }
    self.url = url
    self.response = response
    let method = interceptor.request.httpMethod ?? "GET"
    progress = AnswerInHand(head, to: method, isOpen: isOpen)
    storeCookies(of: head, at: url)
    call { $0.urlProtocol($1, didReceive: response, cacheStoragePolicy: .notAllowed) }
  }

  /// Hands over a piece of the body.
  mutating func receive(_ data: Data) {
    guard !data.isEmpty else { return }
    progress.received += data.count
    if context.takesPieces, progress.coding == nil {
      call { $0.urlProtocol($1, didLoad: data) }
    } else if joined.isEmpty {
      joined = data
    } else {
      joined.append(data)
    }
  }

  /// Hands over a response that is there as a whole, but for its end.
  func send(_ rendered: RenderedResponse) {
    call { $0.urlProtocol($1, didReceive: rendered.response, cacheStoragePolicy: .notAllowed) }
    if !rendered.body.isEmpty { call { $0.urlProtocol($1, didLoad: rendered.body) } }
  }

  /// Ends a response that was sent as a whole.
  func end() { call { $0.urlProtocolDidFinishLoading($1) } }

  /// Ends in good order.
  mutating func finish() {
    guard let response else { return fail(.malformedResponse) }
    if !joined.isEmpty {
      guard let body = ContentCoding.open(joined, progress.coding) else {
        return ContentCoding.refusal(progress.coding).map { fail($0) } ?? fail(.undecodableBody)
      }
      call { $0.urlProtocol($1, didLoad: body) }
    }
    Responses.finishing(response) { call { $0.urlProtocolDidFinishLoading($1) } }
  }

  /// Ends with what a client would see.
  mutating func fail(_ symptom: Symptom) { fail(symptom.urlError(for: url, as: errors)) }

  /// Ends with an error as it is.
  mutating func fail(_ error: any Error) {
    call { $0.urlProtocol($1, didFailWithError: error) }
  }

  private func call(_ body: (any URLProtocolClient, Interceptor) -> Void) {
    if let interceptor, let client = interceptor.client { body(client, interceptor) }
  }

  /// Lets the session's cookie storage have what an answer sets.
  func storeCookies(of head: ResponseHead, at url: URL?) {
    let values = head.headers.values("Set-Cookie").map(\.readingLatin1)
    if let url, !values.isEmpty { context.storeCookies(values, at: url) }
  }

  /// Fields as the platforms' responses take them: repeated ones joined by commas (RFC 9110 §5.3),
  /// stray octets as Latin-1.
  static func dictionary(_ fields: HeaderFields) -> [String: String] {
    var dictionary = Dictionary<String, String>(minimumCapacity: fields.count)
    guard fields.mayRepeatNames else {
      for field in fields { dictionary[field.name] = field.value.readingLatin1 }
      return dictionary
    }
    var names: [String: String] = [:]
    for field in fields {
      let name = names[field.name.lowercased(), default: field.name]
      names[field.name.lowercased()] = name
      let value = field.value.readingLatin1
      dictionary[name] = dictionary[name].map { "\($0), \(value)" } ?? value
    }
    return dictionary
  }
}

extension HTTPURLResponse {
  convenience init?(_ head: ResponseHead, at url: URL) {
    self.init(
      url: url,
      statusCode: head.status,
      httpVersion: "HTTP/1.1",
      headerFields: ClientCalls.dictionary(head.headers)
    )
  }
}

/// The part of an answer that has come.
struct AnswerInHand {
  /// The bytes of its body so far, as they are sent.
  var received = 0
  /// The coding that the body is still in; the platforms undo it for their own protocols only.
  private(set) var coding: String?
  private var hasHead = false
  private var expected: Int?

  /// Makes one of which nothing has come.
  init() {}

  /// Makes one of which the status line and the fields have come.
  ///
  /// A live answer's body `isOpen`: it comes without its content coding, whatever the fields say.
  init(_ head: ResponseHead, to method: String, isOpen: Bool = false) {
    hasHead = true
    let isEmpty = Response.hasNoContent(method: method, status: head.status)
    expected = isEmpty ? 0 : head.headers["Content-Length"].flatMap { Int($0) }
    coding = isOpen || isEmpty ? nil : ContentCoding.coding(of: head)
  }

  /// Tells whether everything that was announced has come, so that nothing that follows matters.
  var isWhole: Bool { hasHead && expected.map { received >= $0 } == true }

  /// The symptom as which a client takes it that the connection is closed now; `nil` where that is
  /// the answer's end.
  var symptomWhenClosed: Symptom? {
    guard hasHead else { return .emptyAnswer }
    return expected.map { received < $0 } == true ? .truncated : nil
  }
}

/// The decoding of a body's content coding (RFC 9110 §8.4): a client finds it done by the platform
/// on the wire, and nothing does it for a `URLProtocol`.
enum ContentCoding {
  /// Returns the coding of an answer's body; `nil` for none.
  static func coding(of head: ResponseHead) -> String? {
    // Most have none, and trimming costs more than to look.
    guard head.headers["Content-Encoding"] != nil else { return nil }
    let coding = head.headers.values("Content-Encoding").joined(separator: ",")
      .trimmingCharacters(in: .whitespaces).lowercased()
    return coding.isEmpty || coding == "identity" ? nil : coding
  }

  /// Returns a body without its content coding; `nil` if it is damaged or of an unknown coding.
  static func open(_ body: Data, _ coding: String?) -> Data? {
    guard let coding else { return body }
    return Inflate.open(body, coding: coding)
  }

  /// Returns the reason why a body that a client's own platform might open cannot be; `nil` where
  /// it could not, either.
  static func refusal(_ coding: String?) -> HarnessError? {
    guard let coding, coding.contains("br") || coding.contains("zstd") else { return nil }
    return HarnessError(
      """
      The recorded body is compressed by \(coding), which cannot be undone in process. Play the \
      same deck on a loopback server, or record without that coding.
      """
    )
  }
}

/// A response as a task's client takes it, all of it at once: nothing in it waits, leads elsewhere
/// or has to be undone first.
struct RenderedResponse: Sendable {
  /// The address that it was asked for under.
  fileprivate let url: URL
  fileprivate let response: HTTPURLResponse
  fileprivate let body: Data

  /// The average size of one without its body: the platform's response is most of it.
  private static let responseBytes = 2048

  fileprivate var bytes: Int { Self.responseBytes + body.count }

  /// Makes one; `nil` where the answer takes a player: a status that leads elsewhere or asks for a
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
