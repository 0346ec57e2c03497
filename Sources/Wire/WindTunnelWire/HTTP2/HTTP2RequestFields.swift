internal import WindTunnelHTTP

/// The fields of a request, or its trailers, checked before any other use.
///
/// Checked fields have the same meaning over HTTP/1.1 (RFC 9113 §8.2, §8.3, §10.3).
struct HTTP2RequestFields {
  /// The reason why fields are not accepted.
  enum Failure: Error {
    /// The stream ends with PROTOCOL_ERROR (RFC 9113 §8.1.1).
    case malformed(String)
    /// The request can receive a response, as over HTTP/1.1.
    case refused(ProtocolError)
  }

  private var method: String?
  private var scheme: String?
  private var path: String?
  private var authority: String?
  /// The value of `:protocol`, which extends CONNECT (RFC 8441 §4).
  private var protocolName: String?
  private var host: String?
  /// The value of `content-length`.
  private(set) var contentLength: Int?
  var isHead: Bool { method == "HEAD" }
  private var expectation: String?
  /// The index of the first cookie in the fields.
  private var cookie: Int?
  /// The fields. The first one is `Host`, whose value is set last.
  private var fields = [HeaderField("Host", "")]

  /// Whether `:protocol` is known, because SETTINGS_ENABLE_CONNECT_PROTOCOL was sent (RFC 8441 §3).
  private let takesProtocol: Bool

  /// Reads the fields of a request.
  init(_ list: [HPACKField], takesProtocol: Bool) throws(Failure) {
    self.takesProtocol = takesProtocol
    fields.reserveCapacity(list.count + 1)
    for field in list {
      try Self.check(field.value, of: field.name)
      if field.name.utf8.first == 0x3A {
        guard fields.count == 1, host == nil else {
          throw .malformed("A pseudo-header field follows a regular one.")
        }
        try takePseudo(field.name, field.value)
      } else {
        try Self.check(field.name)
        try take(field.field)
      }
    }
  }

  /// Reads the trailers of a request.
  static func trailers(_ list: [HPACKField]) throws(Failure) -> HeaderFields {
    for field in list {
      try check(field.name)
      try check(field.value, of: field.name)
      try checkConnection(field.name, field.value)
    }
    return HeaderFields(list.map(\.field))
  }

  /// Returns the head of the request.
  ///
  /// - Parameters:
  ///   - isWhole: Whether the request ended with the fields.
  ///   - limits: The limits of the request line and of the content.
  /// - Returns: The head with the fields that it would have over HTTP/1.1.
  /// - Throws: The failure of a request that is incomplete or above a limit.
  consuming func head(isWhole: Bool, _ limits: Limits) throws(Failure) -> RequestHead {
    guard var method, method.isHTTPToken else { throw .malformed("There is no :method.") }
    if protocolName != nil { method = try becomeUpgrade(method) }
    let host = try checkedHost(isNeeded: method != "CONNECT")
    let target = try checkedTarget(method)
    guard target.utf8.count <= limits.requestLineBytesMax else {
      let most = limits.requestLineBytesMax
      throw .refused(ProtocolError(.targetTooLong, "The :path is longer than \(most) bytes."))
    }
    if isWhole, let contentLength, contentLength > 0 {
      throw .malformed("There is a content-length of \(contentLength) and no content.")
    }
    if let contentLength, contentLength > limits.bodyBytesMax { throw .refused(.tooLarge(limits)) }
    if let expectation, !expectation.equalsIgnoringASCIICase("100-continue") {
      let sentence = "The only expectation that can be met is 100-continue."
      throw .refused(ProtocolError(.expectationFailed, sentence))
    }
    fields[0].value = host
    return RequestHead(
      method: method,
      target: target,
      version: .http2,
      headers: HeaderFields(fields),
      framing: isWhole || method == "CONNECT" || contentLength == 0
        ? .none : contentLength.map { .length($0) } ?? .chunked,
      keepsAlive: true,
      expectsContinue: expectation != nil && !isWhole
    )
  }

  // MARK: - Fields

  private mutating func takePseudo(_ name: String, _ value: String) throws(Failure) {
    switch name {
    case ":method": try Self.set(&method, name, value)
    case ":scheme": try Self.set(&scheme, name, value)
    case ":path": try Self.set(&path, name, value)
    case ":authority": try Self.set(&authority, name, value)
    case ":protocol" where takesProtocol: try Self.set(&protocolName, name, value)
    default: throw .malformed("A pseudo-header field of a request is unknown.")
    }
  }

  private static func set(
    _ field: inout String?,
    _ name: String,
    _ value: String
  ) throws(Failure) {
    guard field == nil else { throw .malformed("There are two \(name) fields.") }
    field = value
  }

  private mutating func take(_ field: HeaderField) throws(Failure) {
    // The length excludes most names before any bytes are compared.
    switch field.name.utf8.count {
    case 4 where field.name == "host":
      guard host == nil else { throw .malformed("There are two host fields.") }
      host = field.value
      return
    case 6 where field.name == "cookie":
      // RFC 9113 §8.2.3: cookie fields are joined before any other use.
      if let cookie {
        fields[cookie].value += "; " + field.value
        return
      }
      cookie = fields.count
    case 6 where field.name == "expect": expectation = field.value
    case 14 where field.name == "content-length":
      guard contentLength == nil else { throw .malformed("There are two content-length fields.") }
      var value = field.value
      guard let length = value.withUTF8({ $0.decimal }) else {
        throw .malformed("The content-length is no number.")
      }
      contentLength = length
    default: try Self.checkConnection(field.name, field.value)
    }
    fields.append(field)
  }

  /// Rejects connection-specific fields, which could be used to smuggle requests (RFC 9113 §8.2.2).
  static func checkConnection(_ name: String, _ value: String) throws(Failure) {
    switch name.utf8.count {
    case 2 where name == "te" && !value.equalsIgnoringASCIICase("trailers"),
      7 where name == "upgrade", 10 where name == "connection" || name == "keep-alive",
      16 where name == "proxy-connection", 17 where name == "transfer-encoding":
      throw .malformed("The field \(name) belongs to HTTP/1.1.")
    default: break
    }
  }

  /// Checks that a field name is a token without capitals (RFC 9113 §8.2.1).
  static func check(_ name: String) throws(Failure) {
    var name = name
    let isValid = name.withUTF8 { bytes in
      !bytes.isEmpty && bytes.allSatisfy { $0.isToken && !(0x41...0x5A ~= $0) }
    }
    guard isValid else { throw .malformed("A field name is no token in lower case.") }
  }

  /// Checks that a field value has no control characters, and no white space around it (RFC 9113
  /// §8.2.1).
  static func check(_ value: String, of name: String) throws(Failure) {
    var value = value
    let isValid = value.withUTF8 { bytes in
      guard let first = bytes.first, let last = bytes.last else { return true }
      return !first.isBlank && !last.isBlank && bytes.allSatisfy(\.isFieldContent)
    }
    guard isValid else {
      throw .malformed("A field value holds a control character or white space around it.")
    }
  }

  // MARK: - The head

  /// Turns an extended CONNECT into the upgrade that it is over HTTP/1.1 (RFC 8441 §5). Returns its
  /// method.
  private mutating func becomeUpgrade(_ method: String) throws(Failure) -> String {
    guard method == "CONNECT", contentLength == nil else {
      throw .malformed("Only CONNECT takes :protocol, and no content-length.")
    }
    guard let protocolName, protocolName.equalsIgnoringASCIICase("websocket") else {
      let sentence = "The only :protocol that is served is websocket (RFC 8441)."
      throw .refused(ProtocolError(.notImplemented, sentence))
    }
    fields += [HeaderField("Upgrade", "websocket"), HeaderField("Connection", "Upgrade")]
    return "GET"
  }

  /// Returns the value of `Host`. RFC 9113 §8.3.1 prefers `:authority`, and the two must not
  /// differ.
  private func checkedHost(isNeeded: Bool) throws(Failure) -> String {
    guard var value = authority ?? host, !value.isEmpty || !isNeeded else {
      throw .malformed("There is no :authority and no host.")
    }
    guard value.withUTF8({ $0.isHostField }) else {
      throw .malformed("The :authority is no host with or without a port.")
    }
    if let host, !host.equalsIgnoringASCIICase(value) {
      throw .malformed("The fields :authority and host differ.")
    }
    return value
  }

  private func checkedTarget(_ method: String) throws(Failure) -> String {
    if method == "CONNECT" {
      // RFC 9113 §8.5: CONNECT has `:authority`, and neither `:scheme` nor `:path`.
      guard scheme == nil, path == nil, var target = authority,
        target.withUTF8({ $0.isAuthorityForm })
      else { throw .malformed("CONNECT takes :authority with a port, and no :scheme or :path.") }
      return target
    }
    guard let scheme, Self.isScheme(scheme) else { throw .malformed("There is no :scheme.") }
    guard var path else { throw .malformed("There is no :path.") }
    if path == "*", method == "OPTIONS" { return path }
    let isValid = path.withUTF8 { bytes in
      bytes.first == 0x2F && bytes.allSatisfy { $0.isTarget && $0 != 0x23 }
    }
    guard isValid else { throw .malformed("The :path is no path.") }
    return path
  }

  private static func isScheme(_ text: String) -> Bool {
    text.utf8.first?.isASCIILetter == true
      && text.utf8.allSatisfy { $0.isWord || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
  }
}
