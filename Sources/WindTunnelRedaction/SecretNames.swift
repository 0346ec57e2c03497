/// Tells by a field's name whether its value is a secret.
///
/// A name is compared as its letters and digits in lower case, so `X-Api-Key`, `x_api_key` and
/// `xApiKey` are one. Most rules look at the end of it: `user[new_password]` is a password.
struct SecretNames {
  /// Where a name stands.
  enum Place { case header, query, field }

  /// What a value is.
  enum Sort: Hashable {
    case secret
    /// E-mail addresses and telephone numbers, which are looked for elsewhere, too.
    case contact
    /// Names and addresses of people, which occur elsewhere by chance.
    case person
  }

  private let extra: [Place: Set<String>]
  private let personalData: Bool
  private var fields: [String: Sort?] = [:]

  init(_ rules: RedactionRules) {
    extra = [
      .header: Set(rules.headers.map(FieldName.normalised)),
      .query: Set(rules.queries.map(FieldName.normalised)),
      .field: Set(rules.fields.map(FieldName.normalised)),
    ]
    personalData = rules.personalData
  }

  /// What the value of a name is; `nil` for nothing that is taken out.
  func sort(of name: some StringProtocol, in place: Place) -> Sort? {
    let name = FieldName.normalised(name)
    guard !name.isEmpty else { return nil }
    if extra[place]?.contains(name) == true { return .secret }
    if Self.harmless.contains(name) { return nil }
    if Self.whole.contains(name) { return .secret }
    if place == .header, Self.inHeaders.contains(name) { return .secret }
    if place == .query, Self.inQueries.contains(name) { return .secret }
    if Self.endings.contains(where: { name.hasSuffix($0) }) { return .secret }
    guard personalData else { return nil }
    if Self.contactEndings.contains(where: { name.hasSuffix($0) }) { return .contact }
    return Self.persons.contains(name) ? .person : nil
  }

  /// What the value of a JSON member is; the same few names come again and again.
  mutating func cachedSort(ofField name: String) -> Sort? {
    if let known = fields[name] { return known }
    let sort = sort(of: name, in: .field)
    // Keys that are data, such as ids, are as many as there are bodies.
    if fields.count < 4096 { fields[name] = sort }
    return sort
  }

  /// A name as it stands in a pseudonym.
  static func slug(_ name: some StringProtocol, instead: String = "value") -> String {
    if name.utf8.allSatisfy({ 0x20..<0x80 ~= $0 }) {
      let letters = name.utf8.prefix(40).map { byte -> UInt8 in
        let lower = byte.asciiLowercased
        return 0x61...0x7A ~= lower || 0x30...0x39 ~= lower ? lower : UInt8(ascii: "-")
      }
      return letters.isEmpty ? instead : String(decoding: letters, as: UTF8.self)
    }
    let letters = name.lowercased().prefix(40).map {
      $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-"
    }
    return letters.isEmpty ? instead : String(letters)
  }

  /// Whether a value is too plain to be anybody's secret.
  static func isPlain(_ value: some StringProtocol) -> Bool {
    plain.contains(value.lowercased())
  }

  /// Whether a value is itself one of the words that name secrets, and so found in any text.
  static func isWord(_ value: String) -> Bool {
    let name = FieldName.normalised(value)
    return whole.contains(name) || endings.contains(name) || harmless.contains(name)
  }

  /// Whether a name has harmless values as well: a currency is a token, a zodiac has signs.
  static func isAmbiguous(_ name: some StringProtocol) -> Bool {
    ambiguous.contains(FieldName.normalised(name))
  }

  /// Members of an object under a secret name that tell about the secret and are none.
  static let about: Set<String> = [
    "type", "tokentype", "kind", "scheme", "scope", "alg", "algorithm", "expires", "expiresin",
    "expiresat", "expiry", "created", "createdat", "issuedat", "updatedat", "status",
  ]

  private static let plain: Set<String> = [
    "", "true", "false", "null", "nil", "none", "undefined", "yes", "no", "bearer", "basic", "*",
    "include", "omit", "same-origin",
  ]

  private static let endings = [
    "token", "password", "passwd", "passphrase", "passcode", "secret", "apikey", "accesskey",
    "accesskeyid", "secretkey", "privatekey", "signingkey", "encryptionkey", "subscriptionkey",
    "authkey", "sessionid", "sessid", "sessionkey", "signature", "credential", "credentials",
    "authorization", "assertion", "clientsecret", "pincode", "otpcode", "mfacode",
    "verificationcode", "recoverycode", "passwordconfirmation", "passwordconfirm", "passwordrepeat",
    "connectionstring", "cardnumber",
  ]

  private static let whole: Set<String> = [
    "pwd", "pass", "session", "sid", "sign", "sig", "otp", "totp", "pin", "auth", "jwt", "bearer",
    "cookie", "cookies", "setcookie", "csrf", "xsrf", "xcsrf", "cvv", "cvc", "cvv2", "hmac",
    "tokens", "secrets", "passwords", "apikeys", "samlresponse", "samlrequest", "codeverifier",
    "devicecode", "xfunctionskey", "xauth", "accesstokens", "refreshtokens",
    "oauthverifier", "ssn",
  ]

  private static let inQueries: Set<String> = ["key"]

  private static let inHeaders: Set<String> = ["authentication", "xauthentication", "cookie2"]

  private static let ambiguous: Set<String> = [
    "token", "tokens", "session", "sid", "sign", "sig", "signature", "auth", "key", "bearer",
    "cookie", "cookies", "assertion",
  ]

  /// Ends like a secret and is a cursor, a switch or a list of names.
  private static let harmless: Set<String> = [
    "pagetoken", "nextpagetoken", "previouspagetoken", "nexttoken", "continuationtoken",
    "paginationtoken", "cancellationtoken", "accesscontrolallowcredentials", "withcredentials",
  ]

  private static let contactEndings = [
    "email", "mail", "emailaddress", "phone", "phonenumber", "mobile", "telephone", "fax",
  ]

  private static let persons: Set<String> = [
    "name", "firstname", "lastname", "fullname", "givenname", "familyname", "middlename", "surname",
    "nickname", "displayname", "username", "birthname", "maidenname", "birthday", "birthdate",
    "dateofbirth", "dob", "ssn", "iban", "street", "address", "addressline1", "addressline2",
    "postcode", "postalcode", "zip", "zipcode", "tel",
  ]
}
