public import Foundation

/// A server that answers, with what it plays.
public struct RemoteHealth: Sendable, Hashable, Decodable {
  /// The name of the scenario that is flown.
  public var scenario: String
  /// The number of interactions on the cassette.
  public var interactions: Int
  /// The time since the server's start, in seconds.
  public var uptimeSeconds: Double
}

/// One request that a server received.
public struct RemoteRequest: Sendable, Hashable, Decodable, Identifiable {
  /// The number, which grows and is never given twice.
  public var id: Int
  /// The time at which it came, in milliseconds from the start of the server.
  public var atMilliseconds: Double
  /// The method, such as `GET`.
  public var method: String
  /// The URL as it was matched, without secrets.
  public var url: String
  /// The source of the response: `recording`, `withheld` (a fault kept it), `computed` (a stub),
  /// `forwarded` or `unmatched`.
  public var source: String
  /// The number of the recording, from 1; `nil` if none answered.
  public var interaction: Int?
  /// The status that was sent; `nil` if none was, or not yet.
  public var status: Int?
  /// The number of bytes of content that were sent; `nil` until the end.
  public var bytes: Int?
  /// The time from the request's end to the response's, in milliseconds; `nil` until the end.
  public var latencyMilliseconds: Double?
  /// The end of the response: `whole`, `cut`, `clientLeft`, `stopped` or a symptom such as
  /// `connectionReset`; `nil` while it is being answered.
  public var ending: String?
  /// The header fields, in order, without secrets; `nil` if they cannot be searched for secrets.
  public var headers: [Header]?
  /// The content, without secrets; `nil` if there is none, or if it is not kept or not shown.
  public var body: Body?
  /// The number of bytes of content; `nil` if it is not kept.
  public var bodyBytes: Int?

  /// A header field of a request.
  public struct Header: Sendable, Hashable, Decodable {
    /// The name as it was sent.
    public var name: String
    /// The value, without secrets.
    public var value: String

    /// Reads a list of a name and a value.
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

/// The server's answer to the question whether requests came.
public struct RemoteVerdict: Sendable, Hashable, Decodable {
  /// Whether they came as was asked.
  public var passed: Bool
  /// The question in words.
  public var asked: String
  /// The requests that arrived and were meant.
  public var seen: Seen

  /// The requests that a question was about.
  public struct Seen: Sendable, Hashable, Decodable {
    /// The number of them.
    public var count: Int
    /// The first hundred of them.
    public var requests: [Line]
  }

  /// One request in a line.
  public struct Line: Sendable, Hashable, Decodable {
    /// The number of the request.
    public var id: Int
    /// The request in words, such as `GET http://127.0.0.1/home`.
    public var request: String
  }
}

/// One recording on a server's cassette.
public struct RemoteInteraction: Sendable, Hashable, Decodable {
  /// The place on the cassette, from 1.
  public var number: Int
  /// The request in words.
  public var request: String
  /// The status of the response; `nil` where the recording is a failure.
  public var status: Int?
  /// The number of times that it was played.
  public var plays: Int
}

/// An error of a question to a server.
public enum RemoteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Nobody answered at the address, for this reason.
  case unreachable(URL, String)
  /// The server refused with this status, and says why in a sentence.
  case refused(Int, String)
  /// The response to a question was not what this version of the client reads.
  case notUnderstood(String, String)
  /// A file could not be read.
  case unreadable(String, String)
  /// No request of a pattern came within a time, or the task was cancelled.
  case missing(String, Duration)

  /// The error in a sentence, with what to do next.
  public var description: String {
    switch self {
    case .unreachable(let url, let reason):
      "Nobody answers at \(url.absoluteString): \(reason) Start `windtunnel serve --admin-port` "
        + "before the test."
    case .refused(let status, let sentence): "The server refused (\(status)): \(sentence)"
    case .notUnderstood(let question, let reason):
      "The answer to \(question) was not understood: \(reason). Client and server should be of one "
        + "version."
    case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
    case .missing(let pattern, let limit): "No request \(pattern) came within \(limit)."
    }
  }
}
