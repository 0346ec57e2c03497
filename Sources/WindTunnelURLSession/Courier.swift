internal import Foundation
internal import Symptoms
internal import WindTunnel

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Hands an answer to a task's client.
///
/// Always a response before the end, and only one terminal call, whatever it is told. Where only
/// the last piece of a body would reach the caller, the pieces are joined first.
struct Courier {
  private let interceptor: Interceptor
  private let context: LoadingContext
  private let errors: Symptom.Platform
  private var url: URL?
  private var response: HTTPURLResponse?
  private var expected: Int?
  private var received = 0
  private var joined = Data()

  init(to interceptor: Interceptor, context: LoadingContext, errors: Symptom.Platform) {
    self.interceptor = interceptor
    self.context = context
    self.errors = errors
    url = interceptor.request.url
  }

  private var client: (any URLProtocolClient)? { interceptor.client }

  /// Hands over the status line and the fields.
  mutating func receive(_ head: ResponseHead, at url: URL?) {
    guard let url, let response = Responses.response(head, at: url) else { return }
    self.url = url
    self.response = response
    let method = interceptor.request.httpMethod ?? "GET"
    let isEmpty = Response.hasNoContent(method: method, status: head.status)
    expected = isEmpty ? 0 : head.headers["Content-Length"].flatMap { Int($0) }
    storeCookies(of: head, at: url)
    client?.urlProtocol(interceptor, didReceive: response, cacheStoragePolicy: .notAllowed)
  }

  /// Hands over a piece of the body.
  mutating func receive(_ data: Data) {
    guard !data.isEmpty else { return }
    received += data.count
    if context.takesPieces {
      client?.urlProtocol(interceptor, didLoad: data)
    } else if joined.isEmpty {
      joined = data
    } else {
      joined.append(data)
    }
  }

  /// Ends well.
  mutating func finish() {
    guard let response else { return fail(.malformedResponse) }
    if !joined.isEmpty { client?.urlProtocol(interceptor, didLoad: joined) }
    Responses.finishing(response) { client?.urlProtocolDidFinishLoading(interceptor) }
  }

  /// Ends as a client takes it that the connection was closed now.
  mutating func closed() {
    if response == nil {
      fail(.emptyAnswer)
    } else if let expected, received < expected {
      fail(.truncated)
    } else {
      finish()
    }
  }

  /// Ends with what a client would see.
  mutating func fail(_ symptom: Symptom) { fail(symptom.urlError(for: url, as: errors)) }

  /// Ends with an error as it is.
  mutating func fail(_ error: any Error) {
    client?.urlProtocol(interceptor, didFailWithError: error)
  }

  /// Lets the session's cookie storage have what an answer sets.
  func storeCookies(of head: ResponseHead, at url: URL?) {
    let values = head.headers.values("Set-Cookie")
    if let url, !values.isEmpty { context.storeCookies(values, at: url) }
  }

  /// What the platforms' responses take: repeated fields joined by commas (RFC 9110 §5.3).
  static func dictionary(_ fields: HeaderFields) -> [String: String] {
    var names: [String: String] = [:]
    var dictionary: [String: String] = [:]
    for field in fields {
      let name = names[field.name.lowercased(), default: field.name]
      names[field.name.lowercased()] = name
      dictionary[name] = dictionary[name].map { "\($0), \(field.value)" } ?? field.value
    }
    return dictionary
  }
}
