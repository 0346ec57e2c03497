public import WindTunnelCassettes

/// The values that are removed from a recording before it is written, beside those that always are.
///
/// ```swift
/// let rules = RedactionRules(names: ["loginToken", "$.user.code"], keep: ["pageToken"])
/// ```
///
/// Rules only add: the default names of secrets (`Authorization`, `Cookie`, `password`,
/// `access_token`, `X-Api-Key`, …) always apply. Names are compared without regard to case and to
/// the separators of words: `clientSecret` is `client_secret`.
public struct RedactionRules: Sendable, Hashable {
  /// The names of further header fields whose values are secrets.
  public var headers: [String]
  /// The names of further query parameters whose values are secrets.
  public var queries: [String]
  /// The names of further JSON members and form fields whose values are secrets.
  public var fields: [String]
  /// The places of secrets in JSON bodies, such as `$.user.code`, `$.items[*].key` and `$..hint`.
  public var paths: [JSONPath]
  /// The names of values, and their places in JSON bodies, that are no secrets whatever they look
  /// like: they stay.
  public var keep: [String]
  /// Tells whether e-mail addresses, telephone numbers and people's names are removed, too.
  public var personalData: Bool

  /// The rules that always apply, and no further ones.
  public static let standard = RedactionRules()

  /// Makes rules on top of those that always apply.
  public init(
    headers: [String] = [],
    queries: [String] = [],
    fields: [String] = [],
    paths: [JSONPath] = [],
    keep: [String] = [],
    personalData: Bool = false
  ) {
    (self.headers, self.queries, self.fields) = (headers, queries, fields)
    (self.paths, self.keep, self.personalData) = (paths, keep, personalData)
  }

  /// Makes rules of the names of secrets, wherever they stand; a name that begins with `$` is a
  /// place in JSON bodies, and must be a valid path.
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

  /// Returns the same, and more names and places whose values stay.
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

  /// The rules that always apply, and those for e-mail addresses, telephone numbers and people's
  /// names.
  public static let personalData = RedactionRules(personalData: true)
}
