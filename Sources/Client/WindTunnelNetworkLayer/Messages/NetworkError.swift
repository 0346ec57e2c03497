public import Foundation
public import WindTunnelSymptoms

/// The error of a call that returned no usable response.
public enum NetworkError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The endpoint is not a valid request; nothing was sent.
  case invalidRequest(RequestError)
  /// The caller cancelled the call; the network did not fail.
  case cancelled
  /// The device has no network at all, with the platform's own text.
  ///
  /// A later call may succeed, and the user may be able to restore the network.
  case offline(text: String)
  /// The last attempt got no response, with the symptom and the platform's own text.
  case transport(Symptom, text: String)
  /// The rules do not accept the last response's status; the error contains its content.
  case server(status: Int, body: Data)
  /// The server requires other credentials (401) or denies them access (403), with its response
  /// content.
  case credentials(status: Int, body: Data)
  /// The proxy requires credentials (407, RFC 9110 §15.5.8).
  case proxyCredentials
  /// The server limits the rate, with the requested wait if there is one.
  ///
  /// Either the last response has status 429 (RFC 6585 §4), or nothing was sent because another
  /// call of the endpoint received this wait.
  case rateLimited(retryAfter: Duration?)
  /// The server returned an error in an envelope, with its code and message.
  case business(code: String, message: String)
  /// The response does not have the agreed form.
  case decode(DecodeFault)
  /// A file on this device cannot be read or written, with the reason.
  case file(String)
  /// A middleware stopped the call, with its own text.
  case middleware(String)
  /// The call's deadline passed without a response.
  case deadlinePassed(Duration)
  /// The host failed too often and is not contacted for this time; nothing was sent.
  case circuitOpen(host: String, retryAfter: Duration)
  /// The server closed a conversation with a permanent code (RFC 6455 §7.4) and a reason.
  case closed(code: Int, reason: String)

  /// The symptom of the failure; `nil` if the server responded.
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

  /// The suitable reactions of a user interface to an error.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Offer to try again: the next call may succeed.
    case retry
    /// Wait before trying again: there is no network, or the server limits the rate.
    case wait
    /// Ask the user to sign in.
    case signIn
    /// Show the error, because the next call would fail, too.
    case tell
    /// Show nothing: the caller has cancelled.
    case silent
  }

  /// The suitable reaction of a user interface to this error.
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

  /// The error in one sentence, for a log.
  public var description: String {
    switch self {
    case .invalidRequest(let error): error.description
    case .cancelled: "The call was cancelled."
    case .offline(let text): "There is no network: \(text)"
    case .transport(let symptom, let text): "No response arrived (\(symptom.rawValue)): \(text)"
    case .server(let status, let body):
      "The server responded with status \(status) and \(body.count) bytes."
    case .credentials(let status, _): "The server requires other credentials (status \(status))."
    case .proxyCredentials: "The proxy requires credentials (status 407)."
    case .rateLimited(let wait?): "The server limits the rate: wait for \(wait)."
    case .rateLimited(nil): "The server limits the rate: send fewer requests."
    case .business(let code, let message): "The server refused with code \(code): \(message)"
    case .decode(let fault): fault.description
    case .file(let text), .middleware(let text): text
    case .deadlinePassed(let deadline): "No response arrived within \(deadline)."
    case .circuitOpen(let host, let wait):
      "\(host) failed too often; it receives no request for another \(wait)."
    case .closed(let code, ""): "The server closed the conversation with code \(code)."
    case .closed(let code, let reason):
      "The server closed the conversation with code \(code): \(reason)"
    }
  }
}

extension Symptom {
  /// Whether the problem may be temporary. A wrong address or certificate is not.
  fileprivate var mayPass: Bool {
    [
      .timedOut, .cancelled, .connectionLost, .emptyAnswer, .truncated, .connectionRefused,
      .hostNotFound, .offline, .malformedResponse, .undecodableBody, .unknown,
    ].contains(self)
  }
}

/// The error of an invalid endpoint: a mistake of the caller, never of the network.
public enum RequestError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Paths cannot be appended to the base URL.
  case baseURL(String)
  /// The method is invalid (RFC 9110 §9.1).
  case method(String)
  /// The path is not valid in a URL under the base.
  case path(String, Flaw)
  /// The query is not valid in a URL.
  case query(String, Flaw)
  /// The URL, shown without its query, matches none of the links that the configuration allows.
  case link(String)
  /// A header field name is not a token (RFC 9110 §5.1).
  case headerName(String)
  /// The value of the header field with this name contains a control character (RFC 9110 §5.5).
  case headerValue(name: String)
  /// The content cannot be created, with the reason: a value cannot be encoded or a file not be
  /// read.
  case body(String)
  /// Content has no meaning in a request with this method, and the platforms refuse to send it.
  case bodyNotAllowed(method: String)

  /// The flaw of a part of a URL.
  public enum Flaw: Sendable, Hashable {
    /// The part does not begin with a slash.
    case relative
    /// The part has a segment `.` or `..`, which would lead outside the base.
    case dotSegment
    /// The part contains a `?`.
    case questionMark
    /// The part contains a `#`; nothing after it would be sent.
    case fragment
    /// The part contains a `%` that does not begin an escape.
    case strayPercent
  }

  /// The input, its flaw, and the fix.
  public var description: String {
    switch self {
    case .baseURL(let url):
      "The base URL \"\(url)\" must be http or https with a host, without a query or fragment."
    case .method(let method):
      "\"\(method)\" is not a method: use letters, as in \"GET\"."
    case .path(let path, let flaw):
      "The path \"\(path)\" \(flaw)."
    case .query(let query, let flaw):
      "The query \"\(query)\" \(flaw)."
    case .link(let url):
      "The configuration does not allow the link \"\(url)\"; use another link, or add a pattern "
        + "to \"links\"."
    case .headerName(let name):
      "\"\(name)\" is not a header field name: use letters, digits and hyphens."
    case .headerValue(let name):
      "The value of the header field \"\(name)\" contains a control character; remove it."
    case .body(let reason): "The content cannot be created: \(reason)"
    case .bodyNotAllowed(let method):
      "A \(method) request cannot have a body: send none, or use another method."
    }
  }
}

extension RequestError.Flaw: CustomStringConvertible {
  /// The flaw and its fix, as the end of a sentence.
  public var description: String {
    switch self {
    case .relative: "does not begin with \"/\""
    case .dotSegment: "has a segment \".\" or \"..\"; write the resolved path"
    case .questionMark: "contains a \"?\"; pass the rest as the query, or write %3F"
    case .fragment: "contains a \"#\"; omit the fragment, or write %23"
    case .strayPercent: "contains a \"%\" that begins no escape; write %25"
    }
  }
}

/// The error of a request without a response.
public enum TransportError: Error, Sendable, Hashable {
  /// The caller cancelled the request; the network did not fail.
  case cancelled
  /// The network failed, with the symptom and the platform's own text.
  case failed(Symptom, text: String)
  /// A file on this device cannot be read or written, with the reason; the network did not fail.
  case file(String)

  /// The corresponding error for a caller.
  package var asNetworkError: NetworkError {
    switch self {
    case .cancelled: .cancelled
    case .file(let text): .file(text)
    case .failed(.offline, let text): .offline(text: text)
    case .failed(let symptom, let text): .transport(symptom, text: text)
    }
  }
}

/// The difference between a response and its agreed form.
///
/// Locations are paths in the JSON content: names and indices separated by dots, such as
/// `data.items.3.price`. The empty path is the whole content.
public enum DecodeFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The content has another media type; `nil` if the response has none.
  case contentType(String?, expected: [String])
  /// The content is not JSON.
  case notJSON
  /// A required field is missing or null.
  case missing(String)
  /// A field has a wrong value, as the decoder describes it.
  case mismatch(String, text: String)
  /// The content as a whole is invalid, with an explanation.
  case content(String)

  /// Creates a fault from an error of the standard library's decoders.
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

  /// The difference in one sentence, for a log, without the content.
  public var description: String {
    switch self {
    case .contentType(let type, let expected):
      "The response is \(type ?? "of no type") instead of \(expected.joined(separator: " or "))."
    case .notJSON: "The response is not JSON."
    case .missing(let path): "The response has no \"\(path)\"."
    case .content(let text): text
    case .mismatch(let path, let text): "The response has an invalid \"\(path)\": \(text)"
    }
  }
}
