internal import Foundation

/// The values of a request that distinguish it from others. They are not sent to another process.
package struct SentValues: Sendable {
  /// The method, target and body of a POST or PATCH.
  package var content: String?
  /// The same without times and random values in the body. `nil` if the body has none, is the
  /// recorded one, or if nothing is recorded.
  package var deed: String?
  /// The values of `Authorization` and of cookies.
  package var credentials: [String] = []
  /// The values of other fields for credentials.
  package var apiKeys: [String] = []
  /// The `Idempotency-Key` of a POST or PATCH.
  package var key: String?
  /// The values of a POST or PATCH that the recorded request does not have.
  package var marks: [String] = []

  /// The minimum length of a value that can identify a request.
  private static let markBytesMin = 8
  private static let marksMax = 64
  /// The maximum size of a body that is parsed for values.
  package static let bodyBytesMax = 64 << 10

  /// Extracts the values of a complete request.
  ///
  /// - Parameters:
  ///   - outcome: The outcome of the request.
  ///   - isWhole: Whether the request includes its content, if there is any.
  ///   - contentBytesMax: The maximum length of content that is read.
  ///   - open: The names of cookies that are not credentials here, because their server has them
  ///     sent without TLS, too.
  ///   - last: An earlier request with its values, whose content does not need to be hashed again.
  package init(
    of outcome: Outcome,
    isWhole: Bool = false,
    contentBytesMax: Int = .max,
    besidesCookies open: Set<Substring> = [],
    after last: (request: Request, values: SentValues)? = nil
  ) {
    let request = outcome.request
    for field in request.headers {
      let roles = Self.roles(field.name)
      guard roles.isCredential || roles.isAPIKey else { continue }
      let name = roles.name
      if name == "cookie", Self.cookieNames(field.value).allSatisfy(open.contains) { continue }
      let value = "credential \(name): \(field.value)"
      if roles.isCredential { credentials.append(value) } else { apiKeys.append(value) }
    }
    guard request.method == "POST" || request.method == "PATCH",
      request.body.count <= contentBytesMax
    else { return }
    let recorded = outcome.recording?.request
    let length = request.headers.contentLength
    // If a request was decided by its head, its body is not available.
    let isCut = isWhole && request.body.count > Self.bodyBytesMax
    if !isCut, request.body.count > 0 || length == 0 || (isWhole && length == nil) {
      let isSame =
        last.map {
          $0.request.method == request.method && $0.request.url == request.url
            && $0.request.body == request.body
        } ?? false
      content = isSame ? last?.values.content : nil
      if content == nil {
        let digest = SHA256.hexadecimal(request.body.data)
        content = "content \(request.method) \(request.url.target) \(digest)"
      }
    }
    for field in request.headers {
      let roles = Self.roles(field.name)
      if roles.isKey {
        if !field.value.isEmpty, key == nil { key = "key \(roles.name): \(field.value)" }
      } else if roles.isMark,
        recorded?.headers.values(field.name).contains(field.value) != true
      {
        add(field.value)
      }
    }
    let query = recorded.map { Self.parameters(of: $0.url).map(\.value) } ?? []
    for field in Self.parameters(of: request.url) where !query.contains(field.value) {
      add(String(decoding: field.value, as: UTF8.self))
    }
    guard request.body != recorded?.body else { return }
    guard let fields = Self.fields(of: request) else { return }
    let before = Set(recorded.flatMap(Self.fields)?.texts ?? [])
    for text in fields.texts where !before.contains(text) { add(text) }
    let constant = recorded == nil ? fields : fields.withoutDrawnValues
    guard content != nil, constant != fields else { return }
    let digest = SHA256.hexadecimal(constant.bytes())
    deed = "deed \(request.method) \(request.url.target) \(digest)"
  }

  /// Returns whether another request for the same recording certainly has the same values.
  package static func areSame(for one: Request, _ other: Request) -> Bool {
    guard one.method == other.method, one.headers.count == other.headers.count else { return false }
    if one.method == "POST" || one.method == "PATCH" { return one == other }
    return zip(one.headers, other.headers).allSatisfy { one, other in
      if one == other { return true }
      guard one.name == other.name else { return false }
      let roles = roles(one.name)
      return !roles.isCredential && !roles.isAPIKey
    }
  }

  private mutating func add(_ value: String) {
    guard value.utf8.count >= Self.markBytesMin, marks.count < Self.marksMax,
      !value.isMoment
    else { return }
    let mark = "mark \(value)"
    if !marks.contains(mark) { marks.append(mark) }
  }

  /// Returns the fields in a body of JSON or of a form, or `nil` if it is neither.
  private static func fields(of request: Request) -> JSON? {
    let body = request.body
    guard body.count > 0, body.count <= bodyBytesMax else { return nil }
    if request.headers["Content-Type"]?.lowercased().contains("x-www-form-urlencoded") == true {
      let fields = FormFields.fields(body.data)
      return .object(fields.map { JSON.Member(JSON.Text($0.name), .text($0.text)) })
    }
    // A body that is not JSON has no fields.
    return try? JSON(parsing: body.data, source: "")
  }

  /// The roles of a header field in a request, by its name.
  private struct FieldRoles: Sendable {
    /// The name in lower case.
    let name: String
    /// Whether it is `Authorization` or a cookie.
    let isCredential: Bool
    /// Whether it is an API's own field for credentials.
    let isAPIKey: Bool
    /// Whether it is an `Idempotency-Key`.
    let isKey: Bool
    /// Whether its value can identify a request.
    let isMark: Bool

    init(_ field: String) {
      name = field.lowercased()
      let isKnown = SentValues.isCredential(name)
      isCredential = SentValues.credentialNames.contains(name)
      isAPIKey = !isCredential && (isKnown || SentValues.mayBeCredential(name))
      isKey = name.has("idempotency")
      isMark = !isKnown && !SentValues.isStandard(name)
    }
  }

  /// The roles of known fields. Every request of a drill has the same few fields.
  private static let roles = Distinct<String, FieldRoles> { FieldRoles($0) }

  private static let credentialNames: Set<String> = [
    "authorization", "cookie", "proxy-authorization",
  ]
  private static let credentialWords = [
    "api-key", "apikey", "auth-token", "auth-key", "access-token", "session-token",
    "security-token", "private-token", "vault-token", "subscription-key", "functions-key",
  ]

  private static func isCredential(_ name: String) -> Bool {
    credentialNames.contains(name) || credentialWords.contains { name.has($0) }
  }

  /// Returns whether a custom field looks like one for credentials. Tokens of requests are
  /// excluded, because they may only identify a request.
  private static func mayBeCredential(_ name: String) -> Bool {
    guard !name.has("request") else { return false }
    return name.hasSuffix("-token")
      || ["session", "secret", "password"].contains { name.has($0) }
  }

  /// Returns the field's name if it contains a secret for its server, else `nil`. Only cookies that
  /// look like a session's count.
  static func secretPlace(of field: HeaderField) -> String? {
    let name = field.name.lowercased()
    switch name {
    case "authorization": return field.value.isEmpty ? nil : "Authorization"
    case "proxy-authorization": return nil
    case "cookie":
      let isSession = field.value.split(separator: ";").contains { cookie in
        let parts = cookie.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[1].utf8.count >= secretBytesMin else { return false }
        let name = parts[0].lowercased()
        return !name.has("csrf") && !name.has("xsrf")
          && sessionWords.contains { name.has($0) }
      }
      return isSession ? "a session's Cookie" : nil
    default:
      // A token against cross-site requests gives no access by itself.
      let isKey =
        (isCredential(name) || mayBeCredential(name)) && !name.has("csrf")
        && !name.has("xsrf")
      return isKey && field.value.utf8.count >= secretBytesMin && name.utf8.count <= placeBytesMax
        ? field.name : nil
    }
  }

  private static let sessionWords = ["sess", "sid", "auth", "token", "jwt"]
  /// The minimum length of a secret, and the maximum length of a field's name that is reported.
  private static let secretBytesMin = 8
  private static let placeBytesMax = 64

  /// The fields that describe the sender, the connection or the trace, but never identify the
  /// operation.
  private static let standardNames: Set<String> = [
    "host", "user-agent", "connection", "keep-alive", "date", "from", "referer", "origin", "range",
    "te", "trailer", "via", "forwarded", "cache-control", "pragma", "dnt", "expect", "priority",
    "upgrade", "upgrade-insecure-requests", "x-requested-with", "x-forwarded-for", "traceparent",
    "tracestate", "baggage", "b3", "sentry-trace", "x-amzn-trace-id", "x-cloud-trace-context",
  ]
  private static let standardBeginnings = ["accept", "content-", "sec-", "if-", "x-b3-"]

  private static func isStandard(_ name: String) -> Bool {
    standardNames.contains(name) || standardBeginnings.contains { name.hasPrefix($0) }
  }

  /// Returns the names in a `Cookie` field.
  private static func cookieNames(_ value: String) -> [Substring] {
    value.split(separator: ";").map { pair in pair.prefix { $0 != "=" }.drop { $0 == " " } }
  }

  /// Returns the names of the cookies that recorded responses set without `Secure`. Clients send
  /// these cookies without TLS as well (RFC 6265 §5.4).
  package static func openCookies(of cassette: Cassette) -> Set<Substring> {
    var names: Set<Substring> = []
    for interaction in cassette.interactions {
      for value in interaction.response?.headers.values("Set-Cookie") ?? [] {
        let parts = value.split(separator: ";")
        let isSecure = parts.dropFirst()
          .contains { $0.drop { $0 == " " }.lowercased() == "secure" }
        if !isSecure { names.formUnion(parts.prefix(1).map { $0.prefix { $0 != "=" } }) }
      }
    }
    return names
  }

  /// Returns the host of a client's request, without its port.
  package static func host(of outcome: Outcome, on stage: Stage) -> String? {
    switch stage {
    case .inProcess: outcome.request.url.host
    case .onTheWire: RequestURL("http://\(outcome.calledBy ?? "127.0.0.1")").host
    }
  }

  /// Returns the names in the recorded queries, by path.
  package static func queries(of cassette: Cassette) -> [String: Set<String>] {
    var names: [String: Set<String>] = [:]
    for interaction in cassette.interactions {
      let url = interaction.request.url
      names[url.path, default: []].formUnion(parameters(of: url).map(\.name))
    }
    return names
  }

  static func parameters(of url: RequestURL) -> [FormField] {
    url.query.map { FormFields.fields(Data($0.utf8)) } ?? []
  }
}

extension StringProtocol {
  /// Returns whether the text contains a word, byte for byte. This runs dozens of times for each
  /// request's fields, and Foundation's `contains` compares characters by means of an `NSString`.
  fileprivate func has(_ word: String) -> Bool {
    let text = utf8
    guard let first = word.utf8.first else { return true }
    var rest = text[...]
    while let place = rest.firstIndex(of: first) {
      if text[place...].starts(with: word.utf8) { return true }
      rest = text[text.index(after: place)...]
    }
    return false
  }
}

extension JSON {
  /// The texts and numbers in the value, in their order, without the names of members.
  package var texts: [String] {
    var texts: [String] = []
    var rest = [self]
    while let next = rest.popLast() {
      switch next {
      case .string(let text): texts.append(text.value)
      case .number(let digits): texts.append(digits)
      case .array(let items): rest += items.reversed()
      case .object(let members): rest += members.reversed().map(\.value)
      case .null, .bool: break
      }
    }
    return texts
  }
}

extension Observation.Sent {
  /// The maximum length of a parameter's name in bytes.
  private static let nameBytesMax = 64
  private static let parametersMax = 8
  private static let valueBytesMin = 8
  private static let longValueBytesMin = 16

  /// Sets the names of parameters that a client added to a query. Nothing is known if no recorded
  /// request has the same path.
  package mutating func takeParameters(of request: Request, recorded: [String: Set<String>]) {
    guard let known = recorded[request.url.path] else { return }
    let added = SentValues.parameters(of: request.url).filter { !known.contains($0.name) }
    take(added, isAmbiguousTaken: true)
  }

  /// Sets the names of secrets in a query of the client's own. Ambiguous names are ignored, because
  /// many APIs require a `key` or `sig` in a query.
  mutating func takeParameters(of request: Request) {
    take(SentValues.parameters(of: request.url), isAmbiguousTaken: false)
  }

  private mutating func take(_ parameters: [FormField], isAmbiguousTaken: Bool) {
    addsParameters = !parameters.isEmpty
    let secret = parameters.filter { Self.looksSecret($0, isAmbiguousTaken) }.map(\.name)
    secretParameters = Array(secret.prefix(Self.parametersMax))
  }

  /// Sets the parts of a request that contain secrets, if it is sent to another machine over plain
  /// HTTP.
  mutating func takeSecretsInClear(of request: Request) {
    guard request.url.scheme != "https", let host = request.url.host, !Self.isLoopback(host) else {
      return
    }
    isInClear = true
    let places = request.headers.compactMap(SentValues.secretPlace).grouped(by: \.self).map(\.key)
    secretsInClear = places.prefix(Self.parametersMax) + secretParameters.map { "\($0) in its URL" }
  }

  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
      || (host.hasPrefix("127.") && host.utf8.allSatisfy { $0 < UInt8(ascii: "A") })
  }

  /// Names that mean a secret, and below names that only do so with a long value.
  private static let secretNames: Set<String> = [
    "token", "accesstoken", "authtoken", "idtoken", "refreshtoken", "sessiontoken", "apitoken",
    "apikey", "secret", "clientsecret", "apisecret", "password", "passwd", "pwd", "passphrase",
    "sessionid", "jwt", "bearer", "authorization", "credential", "credentials", "accesskey",
    "secretkey", "privatekey", "phpsessid",
  ]
  /// The ends of names that mean a secret with any beginning. A `pagetoken` is not one.
  private static let secretEnds = [
    "apikey", "sessionid", "password", "clientsecret", "accesstoken",
  ]
  private static let ambiguousNames: Set<String> = [
    "key", "auth", "sig", "signature", "session", "sid",
  ]

  private static func looksSecret(_ field: FormField, _ isAmbiguousTaken: Bool) -> Bool {
    // The name is part of a sentence, so it must have only plain characters.
    let isPlain = field.name.allSatisfy { character in
      character.isASCII && (character.isLetter || character.isNumber || "-_.[]".contains(character))
    }
    guard isPlain, field.name.utf8.count <= nameBytesMax else { return false }
    let name = field.name.lowercased().filter { $0.isLetter || $0.isNumber }
    if secretNames.contains(name) || secretEnds.contains(where: name.hasSuffix) {
      return field.value.count >= valueBytesMin
    }
    return isAmbiguousTaken && ambiguousNames.contains(name)
      && field.value.count >= longValueBytesMin
  }
}
