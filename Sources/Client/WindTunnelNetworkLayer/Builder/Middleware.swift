public import Foundation

/// A stage that signs, encrypts, decrypts or rewrites each attempt's request and response.
///
/// Each attempt passes through all stages: the request in order, the response in reverse order.
/// Each attempt starts from the request as it was built, so that a second attempt is not signed
/// twice.
public protocol Middleware: Sendable {
  /// Returns the request to send in place of this one.
  func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest
  /// Returns the response to use in place of this one, for any status.
  func incoming(
    _ answer: ServerResponse,
    to request: URLRequest
  ) async throws(MiddlewareError) -> ServerResponse
  /// The name of the environment that this middleware moves requests to, for records.
  ///
  /// `nil` if it does not move requests.
  var environment: String? { get }
}

extension Middleware {
  /// Returns the request unchanged.
  public func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    request
  }

  /// Returns the response unchanged.
  public func incoming(
    _ answer: ServerResponse,
    to request: URLRequest
  ) async throws(MiddlewareError) -> ServerResponse { answer }

  /// The default, `nil`: the middleware does not move requests.
  public var environment: String? { nil }
}

/// An error that a middleware throws to stop a call, with a text for logs.
public struct MiddlewareError: Error, Sendable, Hashable {
  /// The problem and its fix.
  public var text: String

  /// Creates an error with a text.
  public init(_ text: String) { self.text = text }
}

/// A middleware that adds a timestamp, a nonce and a signature to each attempt.
///
/// The signed text consists of these parts, separated by line feeds: the method, the path as it is
/// sent, the sorted query items, the time in whole seconds since 1970, the nonce, and the content.
/// If the content is in a file, the value of `Content-Digest` (RFC 9530) replaces it.
public struct RequestSigner: Middleware {
  /// The names of the header fields.
  public struct Fields: Sendable, Hashable {
    /// The field name of the timestamp.
    public var time: String
    /// The field name of the nonce.
    public var nonce: String
    /// The field name of the signature.
    public var signature: String

    /// Creates the names of the three fields.
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

  /// Creates a signer with a signing closure, such as an HMAC in base64.
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
