public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A stage that each attempt's request and answer pass through: to sign, encrypt, decrypt or
/// rewrite.
///
/// Each attempt passes through all of them, in order on the way out and in reverse on the way back.
/// They start from the request as it was built, so that a second attempt is not signed twice.
public protocol Middleware: Sendable {
  /// Changes the request that is sent.
  func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest
  /// Changes the answer that arrived, whatever its status.
  func incoming(
    _ answer: ServerResponse,
    to request: URLRequest
  ) async throws(MiddlewareError) -> ServerResponse
  /// The name, for records, of the environment that this middleware moves requests to; `nil`: it
  /// moves none.
  var environment: String? { get }
}

extension Middleware {
  /// Returns the request unchanged.
  public func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    request
  }

  /// Returns the answer unchanged.
  public func incoming(
    _ answer: ServerResponse,
    to request: URLRequest
  ) async throws(MiddlewareError) -> ServerResponse { answer }

  /// The environment `nil`, since the middleware moves no request.
  public var environment: String? { nil }
}

/// The error with which a middleware stops a call, as text for a log.
public struct MiddlewareError: Error, Sendable, Hashable {
  /// The problem and its fix.
  public var text: String

  /// Makes an error of its text.
  public init(_ text: String) { self.text = text }
}

/// A middleware that signs each attempt: it adds the time, a nonce, and a signature over both and
/// the request.
///
/// The signed text is, with line feeds between: the method, the path as it is sent, the items of
/// the query in order, the time in whole seconds since 1970, the nonce, and the content; of content
/// that is in a file the value of `Content-Digest` (RFC 9530).
public struct RequestSigner: Middleware {
  /// The names of the header fields.
  public struct Fields: Sendable, Hashable {
    /// The name of the time's field.
    public var time: String
    /// The name of the nonce's field.
    public var nonce: String
    /// The name of the signature's field.
    public var signature: String

    /// Makes names of the three fields.
    public init(
      time: String = "X-Timestamp",
      nonce: String = "X-Nonce",
      signature: String = "X-Signature"
    ) {
      (self.time, self.nonce, self.signature) = (time, nonce, signature)
    }
  }

  private let fields: Fields
  private let time: any TimeSource
  private let nonce: @Sendable () -> String
  private let sign: @Sendable (Data) -> String

  /// Makes a signer of a closure, such as an HMAC in base64.
  public init(
    fields: Fields = Fields(),
    time: any TimeSource = SystemTime(),
    nonce: @escaping @Sendable () -> String = { UUID().uuidString },
    sign: @escaping @Sendable (Data) -> String
  ) {
    (self.fields, self.time, self.nonce, self.sign) = (fields, time, nonce, sign)
  }

  /// Adds the three fields to a request.
  public func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    var request = request
    let seconds = String(Int(time.date.timeIntervalSince1970))
    let nonce = nonce()
    let url = request.url.map { URLComponents(url: $0, resolvingAgainstBaseURL: false) } ?? nil
    let query = (url?.percentEncodedQuery ?? "").split(separator: "&").sorted()
    let text = [
      request.httpMethod ?? "GET", url?.percentEncodedPath ?? "", query.joined(separator: "&"),
      seconds, nonce, "",
    ]
    let digest = request.value(forHTTPHeaderField: "Content-Digest") ?? ""
    let signed = Data(text.joined(separator: "\n").utf8) + (request.httpBody ?? Data(digest.utf8))
    request.setValue(seconds, forHTTPHeaderField: fields.time)
    request.setValue(nonce, forHTTPHeaderField: fields.nonce)
    request.setValue(sign(signed), forHTTPHeaderField: fields.signature)
    return request
  }
}
