/// What is taken out of a recording before it is written, beside what always is.
///
/// Rules only add: the names that mark a secret by default (`Authorization`, `Cookie`, `password`,
/// `access_token`, `X-Api-Key`, …) mark one whatever stands here. Names are compared without regard
/// to case and to what separates their words: `clientSecret` is `client_secret`.
public struct RedactionRules: Sendable, Hashable {
  /// More header fields whose values are secrets.
  public var headers: [String]
  /// More query parameters whose values are secrets.
  public var queries: [String]
  /// More names of JSON members and form fields whose values are secrets.
  public var fields: [String]
  /// Places in JSON bodies, such as `$.user.code`, `$.items[*].key` and `$..hint`.
  public var paths: [JSONPath]
  /// Names whose values are none, whatever they look like, and places in JSON bodies that hold none:
  /// their values stay.
  public var keep: [String]
  /// Tells whether e-mail addresses, telephone numbers and people's names are taken out, too.
  public var personalData: Bool

  /// The defaults and nothing else.
  public static let standard = RedactionRules()

  /// Makes rules that add to the defaults.
  public init(
    headers: [String] = [],
    queries: [String] = [],
    fields: [String] = [],
    paths: [JSONPath] = [],
    keep: [String] = [],
    personalData: Bool = false
  ) {
    self.headers = headers
    self.queries = queries
    self.fields = fields
    self.paths = paths
    self.keep = keep
    self.personalData = personalData
  }

  /// Makes rules of names that mark a secret wherever they stand; what begins with `$` is a place
  /// in JSON bodies, and must be one.
  public init(names: [String], keep: [String] = [], personalData: Bool = false) {
    let words = names.filter { !$0.hasPrefix("$") }
    self.init(
      headers: words,
      queries: words,
      fields: words,
      paths: names.filter { $0.hasPrefix("$") }.map { JSONPath(stringLiteral: $0) },
      keep: keep,
      personalData: personalData
    )
  }

  /// The same, and more names and places whose values stay.
  package func keeping(_ more: [String]) -> RedactionRules {
    var rules = self
    rules.keep += more
    return rules
  }

  /// The places in JSON bodies whose values stay.
  package var keptPaths: [JSONPath] {
    keep.filter { $0.hasPrefix("$") }.compactMap { JSONPath($0) }
  }

  /// Tells whether a text names a place in JSON bodies.
  package static func isPlace(_ text: String) -> Bool { JSONPath(text) != nil }
}

extension RedactionRules {
  /// The defaults, and e-mail addresses, telephone numbers and people's names beside them.
  public static let personalData = RedactionRules(personalData: true)
}
