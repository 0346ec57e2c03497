internal import WindTunnel

/// A request before its content.
struct RequestHead: Sendable, Hashable {
  var method: String
  /// As it was written: a path, `*`, an authority (`CONNECT`) or an absolute URL (to a proxy).
  var target: String
  var version: HTTPVersion
  var headers: HeaderFields
  var framing: Framing
  /// Whether the client expects the connection to last (RFC 9112 §9.3).
  var keepsAlive: Bool
  /// Whether the client waits for an interim 100 before it sends content (RFC 9110 §10.1.1).
  var expectsContinue: Bool
}

extension RequestHead {
  /// What was asked for; without host unless the target itself names one (RFC 9112 §3.2.2 lets
  /// that one prevail over `Host`).
  var url: RequestURL { RequestURL(target, askedBy: method) }

  /// The request line while the fields are not yet there.
  struct Line: Sendable, Hashable {
    var method: String
    var target: String
    var version: HTTPVersion

    /// RFC 9112 §3: method, one space, target, one space, version.
    init(_ line: Bytes) throws(ProtocolError) {
      var space = 0
      while space < line.count, line[space].isToken { space += 1 }
      guard space > 0, space < line.count, line[space] == .space else {
        throw Self.notHTTP(line)
      }
      let method = line.part(0..<space)
      var end = space + 1
      while end < line.count, line[end].isTarget { end += 1 }
      let target = line.part(space + 1..<end)
      guard end < line.count, line[end] == .space, !target.isEmpty else {
        throw .bad("The request line is not “method target HTTP/1.1” (RFC 9112 §3).")
      }
      version = try HTTPVersion(line.part(end + 1..<line.count))
      self.method = method.text
      self.target = target.text
      try Self.check(target, self.method)
    }

    /// RFC 9112 §3.2: the four forms of a target, and which method takes which.
    private static func check(_ target: Bytes, _ method: String) throws(ProtocolError) {
      if method == "CONNECT" {
        guard target.isAuthorityForm else {
          throw .bad("CONNECT takes host:port, not \(target.quoted) (RFC 9112 §3.2.3).")
        }
        return
      }
      guard !target.contains(0x23) else {
        throw .bad("The target holds a fragment, which stays with the client (RFC 9112 §3.2).")
      }
      if target[0] == 0x2F { return }
      if target.count == 1, target[0] == 0x2A, method == "OPTIONS" { return }
      for scheme: StaticString in ["http://", "https://"] {
        let length = scheme.utf8CodeUnitCount
        guard target.count > length, target.part(0..<length).equalsLowercase(scheme) else {
          continue
        }
        let rest = target.part(length..<target.count)
        let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F } ?? rest.count
        // RFC 9110 §4.2.4: a user before the host is a way to hide the host.
        guard end > 0, rest.part(0..<end).isHostField else {
          throw .bad("The target \(target.quoted) names no host (RFC 9110 §4.2.1).")
        }
        return
      }
      throw .bad("The target \(target.quoted) is no path and no URL (RFC 9112 §3.2).")
    }

    private static func notHTTP(_ line: Bytes) -> ProtocolError {
      line.first == 0x16
        ? .tlsOnPlainPort
        : .bad("The request line does not begin with a method and a space (RFC 9112 §3).")
    }
  }
}

extension HTTPVersion {
  /// RFC 9112 §2.3: `HTTP/` digit `.` digit, in capitals.
  init(_ bytes: Bytes) throws(ProtocolError) {
    let name: StaticString = "HTTP/"
    guard bytes.count == 8, (0..<5).allSatisfy({ bytes[$0] == name.utf8Start[$0] }),
      let major = bytes[5].digit, bytes[6] == 0x2E, let minor = bytes[7].digit
    else {
      throw .bad("“\(bytes.quoted)” is no version such as HTTP/1.1 (RFC 9112 §2.3).")
    }
    guard major == 1 else {
      throw ProtocolError(
        .versionNotSupported,
        "HTTP/\(major).\(minor) is not spoken here; HTTP/1.1 is."
      )
    }
    self = minor == 0 ? .http10 : .http11
  }
}
