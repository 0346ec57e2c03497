public import Foundation

/// A named response of a server that takes precedence over its cassette.
public struct RemoteStub: Sendable, Hashable, Encodable {
  /// The name, which identifies the stub for replacement and removal: 1 to 200 characters.
  public var name: String
  /// The requests that it matches, such as `GET /users/*`.
  public var requests: String
  /// The status of the response.
  public var status: Int
  /// The fields of the response.
  public var headers: [String: String]
  /// The content of the response.
  public var body: Data

  /// Creates a stub with a status, fields and content.
  public init(
    _ name: String,
    _ requests: String,
    status: Int = 200,
    headers: [String: String] = [:],
    body: Data = Data()
  ) {
    (self.name, self.requests, self.status) = (name, requests, status)
    (self.headers, self.body) = (headers, body)
  }

  /// Creates a stub with a JSON response.
  ///
  /// - Throws: `EncodingError` if the value cannot be encoded as JSON.
  public init(_ name: String, _ requests: String, status: Int = 200, json: some Encodable) throws {
    self.init(
      name,
      requests,
      status: status,
      headers: ["Content-Type": "application/json"],
      body: try JSONEncoder().encode(json)
    )
  }

  /// A stub as a server lists it.
  public struct Summary: Sendable, Hashable, Decodable {
    /// The name of the stub.
    public var name: String
    /// The requests that it matches.
    public var request: String
    /// The status of its response.
    public var status: Int
  }

  /// Encodes the stub as `{"request", "response"}`, the format of the admin port.
  public func encode(to encoder: any Encoder) throws {
    var top = encoder.container(keyedBy: Key.self)
    try top.encode(requests, forKey: .request)
    var response = top.nestedContainer(keyedBy: Key.self, forKey: .response)
    try response.encode(status, forKey: .status)
    var fields = headers
    fields["Content-Length"] = "\(body.count)"
    try response.encode(fields, forKey: .headers)
    try response.encode(body.base64EncodedString(), forKey: .base64)
  }

  private enum Key: CodingKey {
    case request, response, status, headers, base64
  }
}
