public import Foundation
public import WindTunnel

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A client under test: something that makes one call.
public protocol Subject: Sendable {
  /// The name in the report.
  var name: String { get }
  /// Makes one call and tells how it went. It must end within the call's deadline by itself; what
  /// does not is a hang.
  func fly(_ call: DrillCall) async -> Landing
}

/// One use of the client's API.
public struct DrillCall: Sendable {
  /// Its number in the scenario, counted from zero.
  public var number: Int
  /// What to ask for, as it was recorded; its host is the recorded one.
  public var request: Request
  /// Where to ask: everything in front of the recorded path.
  public var baseURL: URL
  /// The session to ask with; in process it is the way to the tape.
  public var session: URLSession
  /// How long one attempt may stay silent.
  public var attemptTimeout: Duration
  /// How long the call may take.
  public var deadline: Duration

  /// The whole address: base, recorded path and query.
  public var url: URL {
    var base = baseURL.absoluteString
    if base.hasSuffix("/") { base.removeLast() }
    return URL(string: base + request.url.target.withURLCharactersOnly) ?? baseURL
  }
}

/// How a call went, as the client told it.
public struct Landing: Sendable {
  /// Whether the caller got what it asked for.
  public var isSuccess: Bool
  /// What the client said, where it did not: a symptom's name or `status 503`.
  public var reason: String
  /// What there is to show.
  public var body: Data?

  /// A good one.
  public static func good(_ body: Data) -> Landing {
    Landing(isSuccess: true, reason: "", body: body)
  }

  /// A bad one.
  public static func bad(_ reason: String) -> Landing {
    Landing(isSuccess: false, reason: reason, body: nil)
  }

  /// Whether there is something to show: a body that is not empty and, where it looks like JSON,
  /// decodes.
  var showed: Bool {
    guard isSuccess, let body, let first = body.first else { return false }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return true }
    // What does not decode cannot be shown; why does not matter here.
    return (try? JSON(parsing: body, source: "")) != nil
  }
}

extension String {
  /// Every byte that has no place in a path or query (RFC 3986 §3.3 and §3.4) as its escape; what
  /// is escaped already stays as it is. `URL` would escape those, too, and their percent signs.
  fileprivate var withURLCharactersOnly: String {
    var text = ""
    for byte in utf8 {
      let character = Character(UnicodeScalar(byte))
      let isFine = byte < 128 && (character.isLetter || character.isNumber)
      if isFine || "-._~!$&'()*+,;=:@/?%".contains(character) {
        text.append(character)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return text
  }
}
