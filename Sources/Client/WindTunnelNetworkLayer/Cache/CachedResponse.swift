public import Foundation

/// A response in a cache, with the data that determines how long it is fresh.
public struct CachedResponse: Sendable, Hashable {
  /// The URL that the response is for.
  public var key: String
  /// The time at which the response arrived or was last confirmed.
  public var date: Date
  /// The values of the request fields that the response varies by (RFC 9111 §4.1).
  public var varied: Headers
  /// The response's status code.
  public var status: Int
  /// The response's header fields.
  public var headers: Headers
  /// The response's content, without content coding.
  public var body: Data

  /// Creates a cached response; `nil` unless it is a 200 response to a GET that may be stored.
  init?(_ answer: CallResponse, to request: URLRequest, at date: Date) {
    guard answer.status == 200, let key = Self.key(of: request) else { return nil }
    guard !CacheControl(answer.headers).noStore else { return nil }
    var varied = Headers()
    // A list field (RFC 9110 §5.6.1).
    let names = answer.headers.fields.filter { $0.isNamed("Vary") }
      .flatMap { $0.value.split(separator: ",") }
    for name in names.map({ $0.trimmingCharacters(in: [" ", "\t"]) }) {
      if name == "*" { return nil }
      varied[name] = request.value(forHTTPHeaderField: name) ?? ""
    }
    self.init(
      key: key,
      date: date,
      varied: varied,
      status: answer.status,
      headers: answer.headers,
      body: answer.body
    )
  }

  /// Creates a cached response from its parts.
  public init(key: String, date: Date, varied: Headers, status: Int, headers: Headers, body: Data) {
    (self.key, self.date, self.varied, self.status) = (key, date, varied, status)
    (self.headers, self.body) = (headers, body)
  }

  /// Returns the key of a request's response; `nil` if the response is not cached.
  static func key(of request: URLRequest) -> String? {
    guard request.httpMethod == "GET", !request.isConditional,
      request.value(forHTTPHeaderField: "Range") == nil
    else { return nil }
    return request.url?.absoluteString
  }

  /// Returns whether the response also applies to this request (RFC 9111 §4.1).
  func answers(_ request: URLRequest) -> Bool {
    varied.fields.allSatisfy { request.value(forHTTPHeaderField: $0.name) ?? "" == $0.value }
  }

  /// Returns the number of seconds since the response became stale; negative if it is still fresh.
  ///
  /// The endpoint's times decide, or else the response's header fields (RFC 9111 §4.2).
  func staleness(at now: Date, _ times: CacheTimes?) -> TimeInterval {
    if let times { return max(0, now.timeIntervalSince(date)) - times.fresh.seconds }
    let control = CacheControl(headers)
    if control.noCache { return .infinity }
    let age = headers["Age"].flatMap { TimeInterval($0) } ?? 0
    return max(0, now.timeIntervalSince(date)) + max(0, age) - lifetime(control)
  }

  private func lifetime(_ control: CacheControl) -> TimeInterval {
    if let maxAge = control.maxAge { return TimeInterval(maxAge) }
    guard let expires = headers["Expires"].flatMap({ HTTPDate.parse($0, now: date) }) else {
      return 0
    }
    let sent = headers["Date"].flatMap { HTTPDate.parse($0, now: date) } ?? date
    return expires.timeIntervalSince(sent)
  }

  /// Returns the request that validates this response (RFC 9110 §13.1.2 and §13.1.3).
  ///
  /// `nil` if the response has neither an `ETag` nor a `Last-Modified` field.
  func question(_ request: URLRequest) -> URLRequest? {
    var request = request
    if let tag = headers["ETag"] {
      request.setValue(tag, forHTTPHeaderField: "If-None-Match")
    } else if let date = headers["Last-Modified"] {
      request.setValue(date, forHTTPHeaderField: "If-Modified-Since")
    } else {
      return nil
    }
    return request
  }

  /// Returns this response after the server confirmed it.
  ///
  /// It has the fields of the confirmation (RFC 9111 §3.2), except the fields that describe
  /// content.
  func confirmed(by answer: CallResponse, at date: Date) -> CachedResponse {
    var kept = self
    let new = answer.headers.fields.filter { field in
      !["content-length", "content-encoding", "transfer-encoding", "content-range"]
        .contains(field.name.lowercased())
    }
    kept.headers = headers.replacing(with: Headers(new))
    if answer.headers["Age"] == nil { kept.headers["Age"] = nil }
    kept.date = date
    return kept
  }

  /// Returns the response for a caller.
  func answer(_ source: CallResponse.Source, attempts: Int = 0) -> CallResponse {
    CallResponse(status: status, headers: headers, body: body, attempts: attempts, source: source)
  }

  /// The approximate memory that it occupies, in bytes.
  var cost: Int {
    headers.fields.reduce(key.utf8.count + body.count + 256) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 64
    }
  }
}

extension URLRequest {
  /// Whether the request has a precondition (RFC 9110 §13.1).
  var isConditional: Bool {
    ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"]
      .contains { value(forHTTPHeaderField: $0) != nil }
  }
}

/// The cache directives of a response (RFC 9111 §5.2.2 for a private cache, RFC 5861).
struct CacheControl: Hashable {
  /// Whether the response must not be stored.
  fileprivate var noStore = false
  /// Whether every use requires validation by the server.
  fileprivate var noCache = false
  /// Whether a stale response requires validation by the server.
  private(set) var mustRevalidate = false
  /// The number of seconds for which the response is fresh.
  fileprivate var maxAge: Int?
  /// The number of seconds for which it may be used stale while it is renewed (RFC 5861 §3).
  private(set) var staleWhileRevalidate: Int?
  /// The number of seconds for which it may be used stale if the server fails (RFC 5861 §4).
  private(set) var staleIfError: Int?

  /// Whether the server must validate a stale response before it is used.
  var wantsQuestion: Bool { noCache || mustRevalidate }

  init(_ headers: Headers) {
    let values = headers.fields.lazy.filter { $0.isNamed("Cache-Control") }.map(\.value)
    for word in values.flatMap({ $0.split(separator: ",") }) {
      let parts = word.split(separator: "=", maxSplits: 1).map {
        $0.trimmingCharacters(in: [" ", "\t"])
      }
      let seconds = parts.count > 1 ? Self.seconds(parts[1]) : nil
      switch parts.first?.lowercased() {
      case "no-store": noStore = true
      // With field names it refers to these fields only. Applying it to the whole response is safe.
      case "no-cache": noCache = true
      case "must-revalidate": mustRevalidate = true
      // RFC 9111 §4.2.1: a response with an invalid `max-age` is stale.
      case "max-age": maxAge = min(maxAge ?? .max, seconds ?? 0)
      case "stale-while-revalidate": staleWhileRevalidate = seconds
      case "stale-if-error": staleIfError = seconds
      default: break
      }
    }
  }

  /// Returns a number of seconds. A number that is too large counts as 2³¹ (RFC 9111 §1.2.2).
  private static func seconds(_ text: String) -> Int? {
    let digits = text.trimmingCharacters(in: ["\""])
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return min(Int(digits) ?? .max, 1 << 31)
  }
}
