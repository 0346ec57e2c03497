internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The values of a request by which it can be told from others. They stay in this process.
struct SentValues: Sendable {
  /// The method, target and body of a POST or PATCH.
  var content: String?
  /// The values of `Authorization` and of cookies.
  var credentials: [String] = []
  /// The values of other fields that are there for credentials.
  var apiKeys: [String] = []
  /// The `Idempotency-Key` of a POST or PATCH.
  var key: String?
  /// The values of a POST or PATCH that the recorded request has not.
  var marks: [String] = []

  /// A shorter value is no key that somebody made to tell requests apart.
  private static let markBytesMin = 16
  private static let marksMax = 64
  /// Larger bodies are not taken apart.
  private static let bodyBytesMax = 64 << 10

  /// Takes them out of a request.
  ///
  /// - Parameters:
  ///   - outcome: What became of it.
  ///   - open: The names of cookies that are no credential here, since their server has them sent along
  ///     without TLS, too.
  init(of outcome: Outcome, besidesCookies open: Set<Substring> = []) {
    let request = outcome.request
    for field in request.headers {
      let name = field.name.lowercased()
      if name == "cookie", Self.cookieNames(field.value).allSatisfy(open.contains) { continue }
      let value = "credential \(name): \(field.value)"
      if Self.credentialNames.contains(name) {
        credentials.append(value)
      } else if Self.isCredential(name) || Self.mayBeCredential(name) {
        apiKeys.append(value)
      }
    }
    guard request.method == "POST" || request.method == "PATCH" else { return }
    let recorded: Request? =
      if case .recording(let interaction, place: _) = outcome.source { interaction.request } else {
        nil
      }
    let length = request.headers["Content-Length"].flatMap { Int($0) }
    // Of a request that was decided by its head the body is not here.
    if request.body.count > 0 || length == 0 {
      let digest = SHA256.hexadecimal(request.body.data)
      content = "content \(request.method) \(request.url.target) \(digest)"
    }
    for field in request.headers {
      let name = field.name.lowercased()
      if name.contains("idempotency") {
        if !field.value.isEmpty, key == nil { key = "key \(name): \(field.value)" }
      } else if !Self.isCredential(name), !Self.isStandard(name),
        recorded?.headers.values(field.name).contains(field.value) != true
      {
        add(field.value)
      }
    }
    guard request.body != recorded?.body else { return }
    let before = Set(recorded.map(Self.texts) ?? [])
    for text in Self.texts(of: request) where !before.contains(text) { add(text) }
  }

  private mutating func add(_ value: String) {
    guard value.utf8.count >= Self.markBytesMin, marks.count < Self.marksMax,
      !Self.isMoment(value)
    else { return }
    let mark = "mark \(value)"
    if !marks.contains(mark) { marks.append(mark) }
  }

  /// Tells whether a text is a date: clocks mark a request, but two may have the same.
  private static func isMoment(_ text: String) -> Bool {
    text.utf8.prefix(4).allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      && text.utf8.dropFirst(4).first == UInt8(ascii: "-") && text.contains(":")
  }

  /// The texts in a body of JSON or of a form.
  private static func texts(of request: Request) -> [String] {
    let body = request.body
    guard body.count > 0, body.count <= bodyBytesMax else { return [] }
    if request.headers["Content-Type"]?.lowercased().contains("x-www-form-urlencoded") == true {
      return FormFields.fields(body.data).map { String(decoding: $0.value, as: UTF8.self) }
    }
    // What is no JSON has no texts.
    guard let json = try? JSON(parsing: body.data, source: "") else { return [] }
    return json.texts
  }

  private static let credentialNames: Set<String> = [
    "authorization", "cookie", "proxy-authorization",
  ]
  private static let credentialWords = [
    "api-key", "apikey", "auth-token", "auth-key", "access-token", "session-token",
    "security-token", "private-token", "vault-token", "subscription-key", "functions-key",
  ]

  private static func isCredential(_ name: String) -> Bool {
    credentialNames.contains(name) || credentialWords.contains { name.contains($0) }
  }

  /// Tells whether a company's own field looks like one for credentials. A token of a request's own may be
  /// there to tell requests apart.
  private static func mayBeCredential(_ name: String) -> Bool {
    guard !name.contains("request") else { return false }
    return name.hasSuffix("-token")
      || ["session", "secret", "password"].contains { name.contains($0) }
  }

  /// The fields that say who asks, how, or in which trace, and never which deed is meant.
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
}

extension JSON {
  /// The texts in it, in their order, without the names of members.
  var texts: [String] {
    var texts: [String] = []
    var rest = [self]
    while let next = rest.popLast() {
      switch next {
      case .string(let text): texts.append(text.value)
      case .array(let items): rest += items.reversed()
      case .object(let members): rest += members.reversed().map(\.value)
      case .null, .bool, .number: break
      }
    }
    return texts
  }
}

extension SentValues {
  /// The names in a `Cookie` field.
  private static func cookieNames(_ value: String) -> [Substring] {
    value.split(separator: ";").map { pair in
      pair.prefix { $0 != "=" }.drop { $0 == " " }
    }
  }

  /// The names of the cookies that recorded answers set without `Secure`, so that clients send them along
  /// without TLS as well (RFC 6265 §5.4).
  static func openCookies(of cassette: Cassette) -> Set<Substring> {
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

  /// The host by which a client asked, without its port.
  static func host(of outcome: Outcome, on stage: Stage) -> String? {
    switch stage {
    case .inProcess: outcome.request.url.host
    case .onTheWire: RequestURL("http://\(outcome.calledBy ?? "127.0.0.1")").host
    }
  }

  /// The names in the recorded queries, by path.
  static func queries(of cassette: Cassette) -> [String: Set<String>] {
    var names: [String: Set<String>] = [:]
    for interaction in cassette.interactions {
      let url = interaction.request.url
      names[url.path, default: []].formUnion(parameters(of: url).map(\.name))
    }
    return names
  }

  fileprivate static func parameters(of url: RequestURL) -> [FormField] {
    url.query.map { FormFields.fields(Data($0.utf8)) } ?? []
  }
}

extension Observation.Sent {
  /// So many bytes of a name tell what it is.
  private static let nameBytesMax = 64
  private static let parametersMax = 8
  private static let valueBytesMin = 8
  private static let longValueBytesMin = 16

  /// Takes the names of what a client added to a query; nothing is known where no recorded request is for
  /// the same path.
  mutating func takeParameters(of request: Request, recorded: [String: Set<String>]) {
    guard let known = recorded[request.url.path] else { return }
    let added = SentValues.parameters(of: request.url).filter { !known.contains($0.name) }
    addsParameters = !added.isEmpty
    let secret = added.filter(Self.looksSecret).map(\.name)
    secretParameters = Array(secret.prefix(Self.parametersMax))
  }

  /// Names that mean a secret, and those that do where a value is long.
  private static let secretNames: Set<String> = [
    "token", "accesstoken", "authtoken", "idtoken", "refreshtoken", "sessiontoken", "apitoken",
    "apikey", "secret", "clientsecret", "apisecret", "password", "passwd", "pwd", "passphrase",
    "sessionid", "jwt", "bearer", "authorization", "credential", "credentials", "accesskey",
    "secretkey", "privatekey", "phpsessid",
  ]
  /// The ends of names that mean one whatever stands before them; a `pagetoken` is none.
  private static let secretEnds = [
    "apikey", "sessionid", "password", "clientsecret", "accesstoken",
  ]
  private static let ambiguousNames: Set<String> = [
    "key", "auth", "sig", "signature", "session", "sid",
  ]

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"):
      true
    default: false
    }
  }

  private static func looksSecret(_ field: FormField) -> Bool {
    // A name stands in a sentence, so it has to be a plain one.
    guard field.name.utf8.count <= nameBytesMax, field.name.utf8.allSatisfy(isPlain) else {
      return false
    }
    let name = field.name.lowercased().filter { $0.isLetter || $0.isNumber }
    if secretNames.contains(name) || secretEnds.contains(where: name.hasSuffix) {
      return field.value.count >= valueBytesMin
    }
    return ambiguousNames.contains(name) && field.value.count >= longValueBytesMin
  }
}
