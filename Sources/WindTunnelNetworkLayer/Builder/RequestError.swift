/// Why no request can be made of what was asked for; a mistake of the caller, never of the network.
public enum RequestError: Error, Sendable, Hashable {
  /// The base URL is not one that paths can be put under.
  case baseURL(String)
  /// The method is no token (RFC 9110 §9.1).
  case method(String)
  /// The path cannot stand in a URL under the base.
  case path(String, Flaw)
  /// The query cannot stand in a URL.
  case query(String, Flaw)
  /// The name of a field is no token (RFC 9110 §5.1).
  case headerName(String)
  /// The value of the field with this name holds a control character (RFC 9110 §5.5).
  case headerValue(name: String)
  /// Content has no meaning in a request of this method, and the platforms refuse to send it.
  case bodyNotAllowed(method: String)

  /// What is wrong with a part of a URL.
  public enum Flaw: Sendable, Hashable {
    /// It does not begin with a slash.
    case relative
    /// It has a segment `.` or `..`, which would lead out from under the base.
    case dotSegment
    /// It holds a `?`.
    case questionMark
    /// It holds a `#`; what follows one never travels.
    case fragment
    /// It holds a `%` that begins no escape.
    case strayPercent
  }
}

extension RequestError: CustomStringConvertible {
  /// What was given, what is wrong with it, and what to write instead.
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
    case .headerName(let name):
      "\"\(name)\" is no name of a header field: use letters, digits and hyphens."
    case .headerValue(let name):
      "The value of the header field \"\(name)\" holds a control character; take it out."
    case .bodyNotAllowed(let method):
      "A \(method) carries no body: send none, or use another method."
    }
  }
}

extension RequestError.Flaw: CustomStringConvertible {
  /// The flaw and its cure, to stand after the part's own text.
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
