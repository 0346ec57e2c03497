public import Foundation

/// The state of a running server.
public struct RemoteHealth: Sendable, Hashable, Decodable {
  /// The name of the current scenario.
  public var scenario: String
  /// The number of interactions on the cassette.
  public var interactions: Int
  /// The time since the server's start, in seconds.
  public var uptimeSeconds: Double
}

/// One request that a server received.
public struct RemoteRequest: Sendable, Hashable, Decodable, Identifiable {
  /// The number of the request. Numbers increase and are never reused.
  public var id: Int
  /// The time of arrival, in milliseconds since the start of the server.
  public var atMilliseconds: Double
  /// The method, such as `GET`.
  public var method: String
  /// The URL as it was matched, without secrets.
  public var url: String
  /// The source of the response: `recording`, `withheld` (a fault suppressed it), `computed` (a
  /// stub), `forwarded` or `unmatched`.
  public var source: String
  /// The number of the played recording, from 1; `nil` if no recording was played.
  public var interaction: Int?
  /// The status of the sent response; `nil` if none has been sent.
  public var status: Int?
  /// The number of content bytes sent; `nil` until the response ends.
  public var bytes: Int?
  /// The time from the end of the request to the end of the response, in milliseconds; `nil` until
  /// then.
  public var latencyMilliseconds: Double?
  /// The end of the response: `whole`, `cut`, `clientLeft`, `stopped` or a symptom such as
  /// `connectionReset`; `nil` until the response ends.
  public var ending: String?
  /// The header fields, in order, without secrets; `nil` if they cannot be searched for secrets.
  public var headers: [Header]?
  /// The content, without secrets; `nil` if there is none, or if it is not kept or not shown.
  public var body: Body?
  /// The number of bytes of content; `nil` if the content is not kept.
  public var bodyBytes: Int?

  /// A header field of a request.
  public struct Header: Sendable, Hashable, Decodable {
    /// The name as it was sent.
    public var name: String
    /// The value, without secrets.
    public var value: String

    /// Decodes a list of a name and a value.
    public init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      (name, value) = (try list.decode(String.self), try list.decode(String.self))
    }
  }

  /// Content as text, or as bytes if it is not text.
  public struct Body: Sendable, Hashable, Decodable {
    /// The content as text; `nil` if it is not valid UTF-8.
    public var text: String?
    /// The content as bytes if it is not text.
    public var base64: Data?
    /// The bytes of the content.
    public var data: Data { base64 ?? Data((text ?? "").utf8) }
  }
}

/// The result of a check whether requests were received.
public struct RemoteVerdict: Sendable, Hashable, Decodable {
  /// Whether the expectation was met.
  public var passed: Bool
  /// The checked expectation, as a sentence.
  public var asked: String
  /// The requests that match the question.
  public var seen: ReceivedRequests

  /// The requests that matched a check.
  public struct ReceivedRequests: Sendable, Hashable, Decodable {
    /// The number of matching requests.
    public var count: Int
    /// The first hundred matching requests.
    public var requests: [RequestLine]
  }

  /// The summary of one request.
  public struct RequestLine: Sendable, Hashable, Decodable {
    /// The number of the request.
    public var id: Int
    /// The method and URL of the request, such as `GET http://127.0.0.1/home`.
    public var request: String
  }
}

/// One recording on a server's cassette.
public struct RemoteInteraction: Sendable, Hashable, Decodable {
  /// The position on the cassette, from 1.
  public var number: Int
  /// The method and URL of the request.
  public var request: String
  /// The status of the response; `nil` if the recording is a failure.
  public var status: Int?
  /// The number of times that the recording was played.
  public var plays: Int
}

/// An error of a call to a server's admin port.
public enum RemoteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The admin port cannot be reached, with the reason.
  case unreachable(URL, String)
  /// The server rejected the call, with the status and a sentence.
  case refused(Int, String)
  /// The response to a call has an unknown format.
  case notUnderstood(String, String)
  /// A file cannot be read.
  case unreadable(String, String)
  /// No request matching a pattern was received within a time, or the task was cancelled.
  case missing(String, Duration)

  /// The error and the next step, as sentences.
  public var description: String {
    switch self {
    case .unreachable(let url, let reason):
      "No server responds at \(url.absoluteString): \(reason) Start `windtunnel serve "
        + "--admin-port` before the test."
    case .refused(let status, let sentence): "The server refused (\(status)): \(sentence)"
    case .notUnderstood(let question, let reason):
      "The response to \(question) is invalid: \(reason). Use the same version of client and "
        + "server."
    case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
    case .missing(let pattern, let limit): "No request \(pattern) arrived within \(limit)."
    }
  }
}
