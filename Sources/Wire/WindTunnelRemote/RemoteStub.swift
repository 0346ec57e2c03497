public import Foundation

/// A response that a server gives before its cassette, under a name.
public struct RemoteStub: Sendable, Hashable, Encodable {
  /// The name, by which it is replaced and taken away: 1 to 200 characters.
  public var name: String
  /// The requests that it answers, such as `GET /users/*`.
  public var requests: String
  /// The status of the response.
  public var status: Int
  /// The fields of the response.
  public var headers: [String: String]
  /// The content of the response.
  public var body: Data

  /// Creates a stub of a status, fields and content.
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

  /// Creates a stub that answers with JSON.
  ///
  /// - Throws: `EncodingError` for a value that is no JSON.
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
    /// The requests that it answers.
    public var request: String
    /// The status of its response.
    public var status: Int
  }

  /// Writes `{"request", "response"}`, as the admin port takes it.
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
