public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// An answer in a cache, with the data that decides for how long it is fresh.
public struct CachedResponse: Sendable, Hashable {
  /// The URL that the answer is for.
  public var key: String
  /// The time at which the answer arrived or was last confirmed.
  public var date: Date
  /// The values of the request's fields that the answer varies by (RFC 9111 §4.1).
  public var varied: Headers
  /// The answer's status code.
  public var status: Int
  /// The answer's header fields.
  public var headers: Headers
  /// The answer's content, without content coding.
  public var body: Data

  /// Keeps an answer, if it may be kept: a good one to a GET that does not forbid it.
  init?(_ answer: CallResponse, to request: URLRequest, at date: Date) {
    guard answer.status == 200, let key = Self.key(of: request) else { return nil }
    guard !CacheControl(answer.headers).noStore else { return nil }
    var varied = Headers()
    for name in answer.headers.words(of: "Vary") {
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

  /// Makes an answer of its parts.
  public init(key: String, date: Date, varied: Headers, status: Int, headers: Headers, body: Data) {
    (self.key, self.date, self.varied, self.status) = (key, date, varied, status)
    (self.headers, self.body) = (headers, body)
  }

  /// Returns the key that a request's answer is kept under; `nil` where it is not kept.
  static func key(of request: URLRequest) -> String? {
    guard request.httpMethod == "GET", !request.isConditional,
      request.value(forHTTPHeaderField: "Range") == nil
    else { return nil }
    return request.url?.absoluteString
  }

  /// Returns whether it answers this request, too (RFC 9111 §4.1).
  func answers(_ request: URLRequest) -> Bool {
    varied.fields.allSatisfy { request.value(forHTTPHeaderField: $0.name) ?? "" == $0.value }
  }

  /// Returns the seconds by which it is past its time, which its endpoint gives or else its header
  /// fields (RFC 9111 §4.2); below zero it is fresh.
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

  /// Returns the request that asks whether this is still good (RFC 9110 §13.1.2 and §13.1.3); `nil`
  /// where the answer has nothing to ask by.
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

  /// Returns this answer after the server confirmed it: with the fields of the confirmation (RFC
  /// 9111 §3.2), except those that describe content.
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

  /// Makes the answer that a caller gets of it.
  func answer(_ source: CallResponse.Source, attempts: Int = 0) -> CallResponse {
    CallResponse(status: status, headers: headers, body: body, attempts: attempts, source: source)
  }

  /// The memory that it takes, roughly, in bytes.
  var cost: Int {
    headers.fields.reduce(key.utf8.count + body.count + 256) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 64
    }
  }
}

extension URLRequest {
  /// True where it asks for an answer only if that changed (RFC 9110 §13.1).
  var isConditional: Bool {
    ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"]
      .contains { value(forHTTPHeaderField: $0) != nil }
  }
}

extension Headers {
  /// Returns the words of a list field (RFC 9110 §5.6.1).
  fileprivate func words(of name: String) -> [String] {
    fields.filter { $0.isNamed(name) }.flatMap { $0.value.split(separator: ",") }
      .map { $0.trimmingSpace() }
  }
}

extension Substring {
  /// The text without optional white space at its ends (RFC 9110 §5.6.3).
  fileprivate func trimmingSpace() -> String {
    let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    guard let first = utf8.firstIndex(where: { !isSpace($0) }),
      let last = utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first...last])
  }
}

/// The directives of an answer for keeping it (RFC 9111 §5.2.2 for a private cache, RFC 5861).
struct CacheControl: Hashable {
  /// Tells whether the answer must not be stored.
  fileprivate var noStore = false
  /// The server is to be asked each time.
  fileprivate var noCache = false
  /// Once stale it is of no use without the server.
  private(set) var mustRevalidate = false
  /// Seconds for which it is fresh.
  fileprivate var maxAge: Int?
  /// Seconds past that in which it may be shown while a newer one is fetched (RFC 5861 §3).
  private(set) var staleWhileRevalidate: Int?
  /// Seconds past that in which it may be shown if the server fails (RFC 5861 §4).
  private(set) var staleIfError: Int?

  /// Tells whether the server is to be asked before a stale answer is shown.
  var wantsQuestion: Bool { noCache || mustRevalidate }

  init(_ headers: Headers) {
    let values = headers.fields.lazy.filter { $0.isNamed("Cache-Control") }.map(\.value)
    for word in values.flatMap({ $0.split(separator: ",") }) {
      let parts = word.split(separator: "=", maxSplits: 1).map { $0.trimmingSpace() }
      let seconds = parts.count > 1 ? Self.seconds(parts[1]) : nil
      switch parts.first?.lowercased() {
      case "no-store": noStore = true
      // With field names it speaks of those only; taking it whole is on the safe side.
      case "no-cache": noCache = true
      case "must-revalidate": mustRevalidate = true
      // RFC 9111 §4.2.1: what cannot be read is stale.
      case "max-age": maxAge = min(maxAge ?? .max, seconds ?? 0)
      case "stale-while-revalidate": staleWhileRevalidate = seconds
      case "stale-if-error": staleIfError = seconds
      default: break
      }
    }
  }

  /// RFC 9111 §1.2.2: a number that does not fit is 2³¹.
  private static func seconds(_ text: String) -> Int? {
    let digits = text.trimmingCharacters(in: ["\""])
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return min(Int(digits) ?? .max, 1 << 31)
  }
}
