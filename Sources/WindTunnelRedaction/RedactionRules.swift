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
  /// Whether e-mail addresses, telephone numbers and people's names are taken out, too.
  public var personalData: Bool

  /// The defaults and nothing else.
  public static let standard = RedactionRules()

  /// Makes rules that add to the defaults.
  public init(
    headers: [String] = [],
    queries: [String] = [],
    fields: [String] = [],
    paths: [JSONPath] = [],
    personalData: Bool = false
  ) {
    self.headers = headers
    self.queries = queries
    self.fields = fields
    self.paths = paths
    self.personalData = personalData
  }

  /// Makes rules of names that mark a secret wherever they stand; what begins with `$` is a place
  /// in JSON bodies, and must be one.
  public init(names: [String], personalData: Bool = false) {
    let words = names.filter { !$0.hasPrefix("$") }
    self.init(
      headers: words,
      queries: words,
      fields: words,
      paths: names.filter { $0.hasPrefix("$") }.map { JSONPath(stringLiteral: $0) },
      personalData: personalData
    )
  }

  /// Whether a text names a place in JSON bodies.
  package static func isPlace(_ text: String) -> Bool { JSONPath(text) != nil }
}
