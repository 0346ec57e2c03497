public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Sees what goes out and what comes back: signs, seals, opens, rewrites.
///
/// Each attempt goes through all of them, the first first on the way out and last on the way back.
/// They start from the request as it was built, so that a second attempt is not signed twice.
public protocol Middleware: Sendable {
  /// Changes what is sent.
  func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest
  /// Changes what came, whatever the status.
  func incoming(
    _ answer: HTTPAnswer,
    to request: URLRequest
  ) async throws(MiddlewareError) -> HTTPAnswer
  /// The environment that this moves requests to, as records call it; `nil`: it moves none.
  var environment: String? { get }
}

extension Middleware {
  /// Returns the request as it is.
  public func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    request
  }

  /// Returns the answer as it is.
  public func incoming(
    _ answer: HTTPAnswer,
    to request: URLRequest
  ) async throws(MiddlewareError) -> HTTPAnswer { answer }

  /// `nil`, since it moves no request.
  public var environment: String? { nil }
}

/// The reason for which a middleware stops a call, in words for a log.
public struct MiddlewareError: Error, Sendable, Hashable {
  /// The fault and what to do about it.
  public var text: String

  /// Makes one of its words.
  public init(_ text: String) { self.text = text }
}

/// Signs each attempt: the time, a number used once, and a signature over both and the request.
///
/// What is signed, with line feeds between: the method, the path as it is sent, the items of the
/// query in order, the time in whole seconds since 1970, the number used once, and the content.
public struct RequestSigner: Middleware {
  /// The names of the fields.
  public struct Fields: Sendable, Hashable {
    /// The name of the time's field.
    public var time: String
    /// The name of the field with the number used once.
    public var nonce: String
    /// The name of the signature's field.
    public var signature: String

    /// Names the three fields.
    public init(
      time: String = "X-Timestamp",
      nonce: String = "X-Nonce",
      signature: String = "X-Signature"
    ) {
      self.time = time
      self.nonce = nonce
      self.signature = signature
    }
  }

  private let fields: Fields
  private let time: any TimeSource
  private let nonce: @Sendable () -> String
  private let sign: @Sendable (Data) -> String

  /// Signs by a closure, such as an HMAC in base64.
  public init(
    fields: Fields = Fields(),
    time: any TimeSource = SystemTime(),
    nonce: @escaping @Sendable () -> String = { UUID().uuidString },
    sign: @escaping @Sendable (Data) -> String
  ) {
    self.fields = fields
    self.time = time
    self.nonce = nonce
    self.sign = sign
  }

  /// Puts the three fields on a request.
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
    let signed = Data(text.joined(separator: "\n").utf8) + (request.httpBody ?? Data())
    request.setValue(seconds, forHTTPHeaderField: fields.time)
    request.setValue(nonce, forHTTPHeaderField: fields.nonce)
    request.setValue(sign(signed), forHTTPHeaderField: fields.signature)
    return request
  }
}
