public import Foundation
public import WindTunnelSymptoms

/// The error of a call that returned nothing to show.
public enum NetworkError: Error, Sendable, Hashable {
  /// The endpoint has no valid request; nothing was sent.
  case invalidRequest(RequestError)
  /// The caller cancelled; no fault of the network.
  case cancelled
  /// The device has no network at all, with the platform's own text; a later call may succeed, and
  /// the user can do something about it.
  case offline(text: String)
  /// The last attempt had no answer, with the symptom and the platform's own text.
  case transport(Symptom, text: String)
  /// The last answer has a status that the rules do not accept, with its content.
  case server(status: Int, body: Data)
  /// The server wants other credentials than the request had (401), or grants these no access
  /// (403), with the answer's content.
  case credentials(status: Int, body: Data)
  /// The proxy wants credentials (407, RFC 9110 §15.5.8).
  case proxyCredentials
  /// The last answer has status 429 (RFC 6585 §4), with the wait that it asked for, if any; or
  /// nothing was sent, since another call of the endpoint was told to wait for this time.
  case rateLimited(retryAfter: Duration?)
  /// The server refused in an answer that arrived well, with the code and the message of its
  /// envelope.
  case business(code: String, message: String)
  /// The answer does not have the agreed form.
  case decode(DecodeFault)
  /// A file on this device cannot be read or written, with the reason.
  case file(String)
  /// A middleware stopped the call, with its own text.
  case middleware(String)
  /// The call's deadline passed before there was an answer.
  case deadlinePassed(Duration)
  /// The host failed too often and is left alone for a while; nothing was sent.
  case circuitOpen(host: String, retryAfter: Duration)
  /// The server closed a conversation, with a code (RFC 6455 §7.4) from which it does not come back
  /// and words.
  case closed(code: Int, reason: String)

  /// The symptom of the failure; `nil` where the server answered.
  public var symptom: Symptom? {
    switch self {
    case .cancelled: .cancelled
    case .offline: .offline
    case .transport(let symptom, _): symptom
    case .deadlinePassed: .timedOut
    case .invalidRequest, .server, .credentials, .proxyCredentials, .rateLimited, .business,
      .decode, .file, .middleware, .circuitOpen, .closed:
      nil
    }
  }
}

extension NetworkError {
  /// The things that a screen does about an error.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Offers to try again: the next call may succeed.
    case retry
    /// Waits before it tries again: there is no network, or the server wants to be left alone.
    case wait
    /// Has the user sign in.
    case signIn
    /// Tells the user, since the next call fails, too.
    case tell
    /// Shows nothing: the caller has cancelled.
    case silent
  }

  /// The thing that a screen does about it.
  public var kind: Kind {
    switch self {
    case .cancelled: .silent
    case .offline, .rateLimited, .circuitOpen: .wait
    case .credentials(status: 401, _): .signIn
    case .deadlinePassed: .retry
    case .server(let status, _): status == 503 ? .wait : status >= 500 ? .retry : .tell
    case .transport(let symptom, _): symptom.mayPass ? .retry : .tell
    case .invalidRequest, .credentials, .proxyCredentials, .business, .decode, .file, .middleware,
      .closed:
      .tell
    }
  }

  /// The name of the error for records, such as `timedOut` or `rateLimited`, without its details.
  public var name: String {
    switch self {
    case .invalidRequest: "invalidRequest"
    case .server: "server"
    case .credentials: "credentials"
    case .proxyCredentials: "proxyCredentials"
    case .rateLimited: "rateLimited"
    case .business: "business"
    case .decode: "decode"
    case .file: "file"
    case .middleware: "middleware"
    case .deadlinePassed: "deadlinePassed"
    case .circuitOpen: "circuitOpen"
    case .closed: "closed"
    case .cancelled, .offline, .transport: symptom?.rawValue ?? ""
    }
  }
}

extension Symptom {
  /// Tells whether it may pass by itself: an address and a certificate do not.
  fileprivate var mayPass: Bool {
    switch self {
    case .timedOut, .cancelled, .connectionLost, .emptyAnswer, .truncated, .connectionRefused,
      .hostNotFound, .offline, .malformedResponse, .undecodableBody, .unknown:
      true
    default: false
    }
  }
}

extension NetworkError: CustomStringConvertible {
  /// The error in one sentence, for a log.
  public var description: String {
    switch self {
    case .invalidRequest(let error): error.description
    case .cancelled: "The call was cancelled."
    case .offline(let text): "There is no network: \(text)"
    case .transport(let symptom, let text): "No answer came (\(symptom.rawValue)): \(text)"
    case .server(let status, let body):
      "The server answered with status \(status) and \(body.count) bytes."
    case .credentials(let status, _): "The server wants other credentials (status \(status))."
    case .proxyCredentials: "The proxy wants credentials (status 407)."
    case .rateLimited(let wait?): "The server wants to be left alone for \(wait)."
    case .rateLimited(nil): "The server wants fewer requests."
    case .business(let code, let message): "The server refused with code \(code): \(message)"
    case .decode(let fault): fault.description
    case .file(let text), .middleware(let text): text
    case .deadlinePassed(let deadline): "No answer came within \(deadline)."
    case .circuitOpen(let host, let wait):
      "\(host) failed too often and is not asked for another \(wait)."
    case .closed(let code, ""): "The server closed the conversation with code \(code)."
    case .closed(let code, let reason):
      "The server closed the conversation with code \(code): \(reason)"
    }
  }
}

/// The error of an endpoint without a valid request: a mistake of the caller, never of the network.
public enum RequestError: Error, Sendable, Hashable {
  /// The base URL cannot have paths under it.
  case baseURL(String)
  /// The method is not a token (RFC 9110 §9.1).
  case method(String)
  /// The path cannot stand in a URL under the base.
  case path(String, Flaw)
  /// The query cannot stand in a URL.
  case query(String, Flaw)
  /// The URL, given without its query, is like none of the links that the configuration allows.
  case link(String)
  /// The name of a header field is not a token (RFC 9110 §5.1).
  case headerName(String)
  /// The value of the header field with this name holds a control character (RFC 9110 §5.5).
  case headerValue(name: String)
  /// The content cannot be made, with the reason: a value that cannot be encoded, a file that
  /// cannot be read.
  case body(String)
  /// Content has no meaning in a request of this method, and the platforms refuse to send it.
  case bodyNotAllowed(method: String)

  /// The fault of a part of a URL.
  public enum Flaw: Sendable, Hashable {
    /// The part does not begin with a slash.
    case relative
    /// The part has a segment `.` or `..`, which would lead out of the base.
    case dotSegment
    /// The part contains a `?`.
    case questionMark
    /// The part contains a `#`, after which nothing is sent.
    case fragment
    /// The part contains a `%` that does not begin an escape.
    case strayPercent
  }
}

extension RequestError: CustomStringConvertible {
  /// The input, its flaw, and what to write instead.
  public var description: String {
    switch self {
    case .baseURL(let url):
      "The base URL \"\(url)\" has to be http or https with a host, and no query or fragment."
    case .method(let method):
      "\"\(method)\" is no method: use letters, as in \"GET\"."
    case .path(let path, let flaw):
      "The path \"\(path)\" \(flaw)."
    case .query(let query, let flaw):
      "The query \"\(query)\" \(flaw)."
    case .link(let url):
      "The link \"\(url)\" is none that the configuration allows; ask another, or add a pattern "
        + "to \"links\"."
    case .headerName(let name):
      "\"\(name)\" is no name of a header field: use letters, digits and hyphens."
    case .headerValue(let name):
      "The value of the header field \"\(name)\" holds a control character; take it out."
    case .body(let reason): "The content cannot be made: \(reason)"
    case .bodyNotAllowed(let method):
      "A \(method) carries no body: send none, or use another method."
    }
  }
}

extension RequestError.Flaw: CustomStringConvertible {
  /// The flaw and its fix, to stand after the part's own text.
  public var description: String {
    switch self {
    case .relative: "does not begin with \"/\""
    case .dotSegment: "has a segment \".\" or \"..\"; write where it leads"
    case .questionMark: "holds a \"?\"; give what follows as the query, or write %3F"
    case .fragment: "holds a \"#\"; leave the fragment out, or write %23"
    case .strayPercent: "holds a \"%\" that begins no escape; write %25"
    }
  }
}

/// The error of a request without an answer.
public enum TransportError: Error, Sendable, Hashable {
  /// The caller cancelled; no fault of the network.
  case cancelled
  /// The network failed, with the symptom and the platform's own text.
  case failed(Symptom, text: String)
  /// A file on this device cannot be read or written, with the reason; no fault of the network.
  case file(String)
}

/// The difference between an answer and its agreed form.
///
/// Places are paths into the JSON text: names and indices with dots between them, as in
/// `data.items.3.price`; empty for the whole.
public enum DecodeFault: Error, Sendable, Hashable {
  /// The content is of another media type; `nil` where the answer names none.
  case contentType(String?, expected: [String])
  /// The content is not JSON.
  case notJSON
  /// A required field is missing or null.
  case missing(String)
  /// A field has a wrong value, as the decoder describes it.
  case mismatch(String, text: String)
  /// The content as a whole is not what it should be, as a text says.
  case content(String)

  /// Names what a decoder of the standard library threw.
  init(_ error: any Error) {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      self = .missing(Self.path(context.codingPath + [key]))
    case DecodingError.valueNotFound(_, let context):
      self = .missing(Self.path(context.codingPath))
    case DecodingError.typeMismatch(_, let context):
      self = .mismatch(Self.path(context.codingPath), text: context.debugDescription)
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      self = .mismatch(Self.path(context.codingPath), text: context.debugDescription)
    case DecodingError.dataCorrupted: self = .notJSON
    default: self = .mismatch("", text: String(describing: error))
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}

extension DecodeFault: CustomStringConvertible {
  /// The difference in one sentence, for a log, without the content.
  public var description: String {
    switch self {
    case .contentType(let type, let expected):
      "The answer is \(type ?? "of no type"), and should be \(expected.joined(separator: " or "))."
    case .notJSON: "The answer is not JSON."
    case .missing(let path): "The answer lacks \"\(path)\"."
    case .content(let text): text
    case .mismatch(let path, let text): "The answer's \"\(path)\" does not fit: \(text)"
    }
  }
}

extension TransportError {
  /// The same as a caller gets it.
  package var asNetworkError: NetworkError {
    switch self {
    case .cancelled: .cancelled
    case .file(let text): .file(text)
    case .failed(.offline, let text): .offline(text: text)
    case .failed(let symptom, let text): .transport(symptom, text: text)
    }
  }
}
