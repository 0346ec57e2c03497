public import WindTunnelCassettes

/// The values that are removed from a recording before it is written. They are added to the default
/// rules.
///
/// ```swift
/// let rules = RedactionRules(names: ["loginToken", "$.user.code"], keep: ["pageToken"])
/// ```
///
/// The default names of secrets (`Authorization`, `Cookie`, `password`, `access_token`,
/// `X-Api-Key`, …) always apply. Names are compared without case and word separators:
/// `clientSecret` equals `client_secret`.
public struct RedactionRules: Sendable, Hashable {
  /// The names of additional header fields whose values are secrets.
  public var headers: [String]
  /// The names of additional query parameters whose values are secrets.
  public var queries: [String]
  /// The names of additional JSON members and form fields whose values are secrets.
  public var fields: [String]
  /// The paths of secrets in JSON bodies, such as `$.user.code`, `$.items[*].key` and `$..hint`.
  public var paths: [JSONPath]
  /// The names of values, or their paths in JSON bodies, that are never secrets and are kept.
  public var keep: [String]
  /// Whether e-mail addresses, telephone numbers and people's names are also removed.
  public var personalData: Bool

  /// The default rules without additional ones.
  public static let standard = RedactionRules()

  /// Creates rules in addition to the default ones.
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

  /// Creates rules from the names of secrets at any place. A name that begins with `$` is a path in
  /// JSON bodies and must be valid.
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

  /// Returns the rules with more names and paths whose values are kept.
  package func keeping(_ more: [String]) -> RedactionRules {
    var rules = self
    rules.keep += more
    return rules
  }

  /// The paths in JSON bodies whose values are kept.
  package var keptPaths: [JSONPath] {
    keep.filter { $0.hasPrefix("$") }.compactMap { JSONPath($0) }
  }

  /// Whether a text is a path in JSON bodies.
  package static func isPlace(_ text: String) -> Bool { JSONPath(text) != nil }

  /// The default rules, and rules for e-mail addresses, telephone numbers and people's names.
  public static let personalData = RedactionRules(personalData: true)
}
