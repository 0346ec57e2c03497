internal import Foundation
@_spi(WindTunnel) internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelSymptoms

/// The calls to a task's client that deliver a response.
///
/// The client receives a response before the end, and one terminal call (``LoadingTask``). If the
/// caller would receive only the last piece of a body, the pieces are joined first.
struct ClientCalls {
  /// Weak, because the interceptor retains the loading task, which contains this value.
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

  /// Passes the status line and the fields to the client.
  ///
  /// With `isOpen`, the body of a live response arrives without its content coding. Its
  /// fields may still state one.
  mutating func receive(_ head: ResponseHead, at url: URL?, isOpen: Bool = false) {
    guard let interceptor, let url, let response = Responses.response(head, at: url) else { return }
    self.url = url
    self.response = response
    let method = interceptor.request.httpMethod ?? "GET"
    progress = AnswerInHand(head, to: method, isOpen: isOpen)
    storeCookies(of: head, at: url)
    call { $0.urlProtocol($1, didReceive: response, cacheStoragePolicy: .notAllowed) }
  }

  /// Passes a piece of the body to the client, or stores it for joining.
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

  /// Passes a complete response to the client, except for its end.
  func send(_ rendered: RenderedResponse) {
    call { $0.urlProtocol($1, didReceive: rendered.response, cacheStoragePolicy: .notAllowed) }
    if !rendered.body.isEmpty { call { $0.urlProtocol($1, didLoad: rendered.body) } }
  }

  /// Ends a response that was passed as a whole.
  func end() { call { $0.urlProtocolDidFinishLoading($1) } }

  /// Ends the response normally.
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

  /// Ends with the error that a client would receive for a symptom.
  mutating func fail(_ symptom: Symptom) { fail(symptom.urlError(for: url, as: errors)) }

  /// Ends with an unchanged error.
  mutating func fail(_ error: any Error) {
    call { $0.urlProtocol($1, didFailWithError: error) }
  }

  private func call(_ body: (any URLProtocolClient, Interceptor) -> Void) {
    if let interceptor, let client = interceptor.client { body(client, interceptor) }
  }

  /// Stores the cookies of a response in the session's cookie storage.
  func storeCookies(of head: ResponseHead, at url: URL?) {
    let values = head.headers.values("Set-Cookie").map(\.readingLatin1)
    if let url, !values.isEmpty { context.storeCookies(values, at: url) }
  }

  /// Returns fields in the format of the platforms' responses.
  ///
  /// Repeated fields are joined by commas (RFC 9110 §5.3), and invalid bytes are read as Latin-1.
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

/// The part of a response that has arrived.
struct AnswerInHand {
  /// The number of received bytes of its body, as they are sent.
  var received = 0
  /// The remaining coding of the body, which the platforms decode only for their own protocols.
  private(set) var coding: String?
  private var hasHead = false
  private var expected: Int?

  /// Creates a value for a response of which nothing has arrived.
  init() {}

  /// Creates a value for a response whose status line and fields have arrived.
  ///
  /// With `isOpen`, the body of a live response arrives without its content coding. Its
  /// fields may still state one.
  init(_ head: ResponseHead, to method: String, isOpen: Bool = false) {
    hasHead = true
    let isEmpty = Response.hasNoContent(method: method, status: head.status)
    expected = isEmpty ? 0 : head.headers.contentLength
    coding = isOpen || isEmpty ? nil : ContentCoding.coding(of: head)
  }

  /// Whether everything that was announced has arrived, so that later events do not matter.
  var isWhole: Bool { hasHead && expected.map { received >= $0 } == true }

  /// The symptom if the connection is closed now; `nil` if that is the normal end of the response.
  var symptomWhenClosed: Symptom? {
    guard hasHead else { return .emptyAnswer }
    return expected.map { received < $0 } == true ? .truncated : nil
  }
}

/// The decoding of a body's content coding (RFC 9110 §8.4).
///
/// A platform decodes the responses of its own protocols, but not of a `URLProtocol`.
enum ContentCoding {
  /// Returns the coding of a response's body; `nil` for none.
  static func coding(of head: ResponseHead) -> String? {
    // Most responses have none, and checking is cheaper than trimming.
    guard head.headers["Content-Encoding"] != nil else { return nil }
    let coding = head.headers.values("Content-Encoding").joined(separator: ",")
      .trimmingCharacters(in: .whitespaces).lowercased()
    return coding.isEmpty || coding == "identity" ? nil : coding
  }

  /// Returns a body without its content coding; `nil` if it is damaged or has an unknown coding.
  static func open(_ body: Data, _ coding: String?) -> Data? {
    guard let coding else { return body }
    return Inflate.open(body, coding: coding)
  }

  /// Returns an error for a coding that a client's own platform may support; `nil` for other
  /// codings.
  static func refusal(_ coding: String?) -> HarnessError? {
    guard let coding, coding.contains("br") || coding.contains("zstd") else { return nil }
    return HarnessError(
      """
      The recorded body is compressed with \(coding), which cannot be decompressed in process. Play \
      the same deck on a loopback server, or record without that coding.
      """
    )
  }
}

/// A complete response in the form for a task's client.
///
/// It involves no delay, no redirect and no decoding.
struct RenderedResponse: Sendable {
  /// The URL for which it was requested.
  fileprivate let url: URL
  fileprivate let response: HTTPURLResponse
  fileprivate let body: Data

  /// The average size without the body, most of which is the platform's response.
  private static let responseBytes = 2048

  fileprivate var bytes: Int { Self.responseBytes + body.count }

  /// Creates a response from a complete one; `nil` if it requires a player.
  ///
  /// That is the case for a status other than 2xx, cookies, a content coding, or an incomplete
  /// body.
  init?(_ answer: (head: ResponseHead, body: Data), at url: URL) {
    let (head, body) = answer
    guard 200...299 ~= head.status, head.headers["Set-Cookie"] == nil,
      ContentCoding.coding(of: head) == nil,
      head.headers["Content-Length"] == nil || head.headers.contentLength == body.count,
      !Response.hasNoContent(method: "GET", status: head.status),
      let response = Responses.response(head, at: url)
    else { return nil }
    (self.url, self.response, self.body) = (url, response, body)
  }
}

/// The responses that were sent to the tasks of one protocol class before.
///
/// Most of the time of a replay is spent on the platform's creation of a response from its fields,
/// and a response does not change.
package final class RenderedResponses: Sendable {
  private let cache = Locked(RenderedResponseCache<RenderedResponse>())

  /// The number of times that a response was reused.
  package var hits: Int { cache.withLock { $0.hits } }

  /// Returns the earlier response for the same URL, or creates and stores one.
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
