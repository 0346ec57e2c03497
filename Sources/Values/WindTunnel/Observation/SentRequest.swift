public import Foundation

/// A request that a deck received, as its client sent it, with the source of its response.
///
/// It is the same in process and on the wire. Its values are not redacted, so they may be secrets.
public struct SentRequest: Sendable, Hashable, Identifiable {
  private let record: ExchangeRecord
  /// The time since the first request of the deck; `nil` if the stage has no clock.
  public let time: Duration?

  /// Creates a view of a record, with the time of the first request of its deck.
  init(_ record: ExchangeRecord, since first: Date?) {
    self.record = record
    time = first.flatMap { first in
      record.moment.map { max(.zero, .seconds($0.timeIntervalSince(first))) }
    }
  }

  /// The number of the decision, which ascends and is used once.
  public var id: Int { record.id }
  /// The method, such as `GET`.
  public var method: String { record.request.method }
  /// The URL as it was matched: with the origin of the cassette, not that of a loopback server.
  public var url: RequestURL { record.request.url }
  /// The header fields, in order, without `Host`, the name of a call, and connection-specific
  /// fields.
  public var headers: HeaderFields { record.request.headers }
  /// The content, without transfer coding; empty if it is not kept (``isBodyKept``).
  public var body: Body { record.request.body }
  /// Whether ``body`` is the content: false if it was larger than 16 MB, or was forwarded while it
  /// was received.
  public var isBodyKept: Bool { record.isBodyKept }

  /// The call or test that sent the request: its lane.
  public var call: Lane { record.lane }
  /// The connection of the request; `nil` in process.
  public var connection: Connection? { record.connection }
  /// The status of the response; `nil` if none was sent, or if the stage does not know it.
  public var status: Int? { record.status }
  /// The faults of the response that happened.
  public var faults: [Fault] { record.faults }

  /// The source of the response.
  public var response: ResponseSource {
    switch record.source {
    case .recording(_, let place): .recording(place + 1)
    case .computed: .stub
    case .forward: .forwarded
    case .unmatched(let mismatch): .unmatched(nearest: "\(mismatch)")
    }
  }

  /// A source of a response.
  public enum ResponseSource: Sendable, Hashable {
    /// The recording with this number, from 1. A fault may have replaced it.
    case recording(Int)
    /// A stub or a function.
    case stub
    /// The response of the live server.
    case forwarded
    /// No source: the request is not on the cassette. The nearest recordings, in sentences.
    case unmatched(nearest: String)
  }

  /// The connection on which a request was received.
  public struct Connection: Sendable, Hashable {
    /// The number of the connection, the same for all its requests; `nil` behind a proxy.
    public var number: Int?
    /// Whether the request is the first on the connection.
    public var isNew: Bool
    /// Whether the connection uses TLS.
    public var isSecure: Bool
    /// Whether the connection speaks HTTP/2.
    public var isHTTP2: Bool

    /// Creates the use of a connection.
    package init(number: Int? = nil, isNew: Bool, isSecure: Bool, isHTTP2: Bool = false) {
      (self.number, self.isNew, self.isSecure) = (number, isNew, isSecure)
      self.isHTTP2 = isHTTP2
    }
  }

  // MARK: - The content

  /// The content as text; `nil` if it is not valid UTF-8.
  public var text: String? { body.text }

  /// The content as JSON; `nil` if it is not JSON. ``decode(_:with:)`` throws an error with the
  /// reason.
  ///
  /// Strings have the standard spelling, so `"https:\/\/a.example"` equals `"https://a.example"`.
  /// Two objects are equal only if their members have the same order, which many encoders do not
  /// keep. Compare single members, or decode the content.
  public var json: JSON? { try? JSON(parsing: body.data, source: "body").inStandardSpelling }

  /// Returns the value that the content encodes as JSON.
  ///
  /// - Throws: The error of the decoder.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self,
    with decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: body.data)
  }

  /// The values of the fields of a form (`application/x-www-form-urlencoded`), by name; empty for
  /// other content.
  public var formFields: [String: [String]] {
    let type = ContentType(headers["Content-Type"] ?? "").essence
    guard type == "application/x-www-form-urlencoded" else { return [:] }
    return Dictionary(grouping: FormFields.fields(body.data)) { $0.name }
      .mapValues { $0.map(\.text) }
  }
}
