public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Signs each attempt: the time, a number used once, and a signature over both and the request.
///
/// What is signed, with line feeds between: the method, the path as it is sent, the items of the
/// query in order, the time in whole seconds since 1970, the number used once, and the content.
public struct RequestSigner: Middleware {
  /// The names of the fields.
  public struct Fields: Sendable, Hashable {
    /// Of the time.
    public var time: String
    /// Of the number used once.
    public var nonce: String
    /// Of the signature.
    public var signature: String

    /// Names them.
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
