/// Which parts of a request decide whether a recording answers it.
///
/// Keys are computed from the parts when a cassette is loaded and never stored, so another matcher
/// needs no new recording.
public struct Matcher: Sendable, Hashable {
  /// What the recorded scheme, host and port are for.
  public enum Authority: Sendable, Hashable {
    /// They must be the request's.
    case required
    /// They only decide between recordings that are otherwise alike.
    case breaksTies
  }

  /// What the recorded scheme, host and port are for.
  public var authority: Authority
  /// Whether the bodies must be the same bytes.
  public var comparesBodies: Bool

  /// Makes a matcher; method, path and query always count, the query in any order.
  public init(authority: Authority, comparesBodies: Bool = false) {
    self.authority = authority
    self.comparesBodies = comparesBodies
  }

  /// Method and URL: what a test means by the same request.
  public static let url = Matcher(authority: .required)
  /// Method, path and query: what a server on another host and port can compare.
  public static let pathAndQuery = Matcher(authority: .breaksTies)

  /// The key of a request: requests of one key are asked for one after the other.
  public func key(_ request: Request) -> RequestKey {
    let path = request.url.path.canonicalPercentEncoding
    return RequestKey(text: "\(request.method) \(path)\(rest(request))")
  }

  /// What follows the path in a key: the canonical query and the body's hash, where they count.
  func rest(_ request: Request) -> String {
    let query = Self.canonical(query: request.url.query ?? "")
    let hash = comparesBodies && !request.body.data.isEmpty
    return (query.isEmpty ? "" : "?\(query)")
      + (hash ? " \(SHA256.hexadecimal(request.body.data))" : "")
  }

  /// The parameters sorted by name; those of one name keep their order, which may mean something.
  static func canonical(query: String) -> String {
    guard query.utf8.contains(UInt8(ascii: "&")) else { return query.canonicalPercentEncoding }
    let items = query.split(separator: "&", omittingEmptySubsequences: true).map { item in
      let text = String(item).canonicalPercentEncoding
      return (name: text.prefix { $0 != "=" }, text: text)
    }
    return items.enumerated()
      .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
      .map(\.element.text).joined(separator: "&")
  }
}

/// Method, path, canonical query and, where bodies are compared, the body's hash; never a host or
/// a port, so that draws and sequences are the same on every stage.
public struct RequestKey: Sendable, Hashable, CustomStringConvertible {
  /// Such as `GET /users?page=2`.
  public let text: String

  /// The text.
  public var description: String { text }
}

extension String {
  /// RFC 3986 §6.2.2: escapes in upper case, none for characters that need none, and all that
  /// cannot stand in an address escaped, so that `/café` written by hand is what a client sends.
  package var canonicalPercentEncoding: String {
    guard utf8.contains(where: { $0 == UInt8(ascii: "%") || !$0.isVisibleASCII }) else {
      return self
    }
    var result: [UInt8] = []
    result.reserveCapacity(utf8.count)
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = Character(UnicodeScalar(rest[rest.startIndex])).hexDigitValue,
        let low = Character(UnicodeScalar(rest[rest.startIndex + 1])).hexDigitValue
      else {
        if byte.isVisibleASCII { result.append(byte) } else { Self.escape(byte, into: &result) }
        continue
      }
      rest = rest.dropFirst(2)
      let value = UInt8(high << 4 | low)
      switch value {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.append(value)
      default: Self.escape(value, into: &result)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func escape(_ byte: UInt8, into result: inout [UInt8]) {
    let digits = String(byte, radix: 16, uppercase: true)
    result.append(contentsOf: "%\(digits.count == 1 ? "0" : "")\(digits)".utf8)
  }
}

extension UInt8 {
  fileprivate var isVisibleASCII: Bool { 0x21...0x7E ~= self }
}
