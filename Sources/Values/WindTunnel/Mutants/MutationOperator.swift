/// One way to break a recorded response, and the part of it that a test must check to notice.
///
/// `level` is the part of the response, and `expectation` is the reaction of a test that uses it.
package struct MutationOperator: Sendable, Hashable {
  /// The part of a response that a test has to check, from the least to the most.
  package enum Level: Int, Sendable, CaseIterable, Comparable {
    case none, answer, status, form, shape, values

    package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  /// The reaction of a test that uses the response.
  package enum Expectation: Sendable {
    /// The test must fail.
    case noticed
    /// The test may pass; reports sum it up in a note.
    case noted
    /// The test must pass.
    case unnoticed
  }

  /// The name, such as `status-500`; no other operator has it.
  package let name: String
  package let level: Level
  package let expectation: Expectation
  /// The change as a phrase for reports, such as `status 500 over the recorded body`.
  package let words: String

  private init(_ name: String, _ level: Level, _ expectation: Expectation, _ words: String) {
    (self.name, self.level) = (name, level)
    (self.expectation, self.words) = (expectation, words)
  }

  /// Every operator, in the order in which a run with a budget tries them.
  ///
  /// The operators that a test must notice are first, beginning with the most serious ones.
  package static let all = [
    Self("empty-200", .form, .noticed, "an empty body"),
    Self("status-500", .status, .noticed, "status 500 with an error text"),
    Self("values", .values, .noticed, "all values changed"),
    Self("reset", .answer, .noticed, "connection reset before the response"),
    Self("html-as-json", .form, .noticed, "an HTML page under the recorded content type"),
    Self("hollow", .shape, .noticed, "{} or [] instead of the body"),
    Self("status-2xx", .status, .noticed, "status 200 instead of the recorded error"),
    Self("lists-empty", .shape, .noticed, "every list empty"),
    Self("other-body", .values, .noticed, "the body of another recording"),
    Self("status-only", .status, .noticed, "status 500 over the recorded body"),
    Self("cut", .form, .noticed, "half the body, with its length"),
    Self("html-200", .form, .noticed, "an HTML page with status 200"),
    Self("login", .form, .noticed, "a redirect to a sign-in page"),
    Self("status-429", .status, .noticed, "status 429 with Retry-After: 0"),
    Self("cut-wire", .form, .noticed, "half the body, then the connection closed"),
    Self("stall", .answer, .noticed, "no response until the client's timeout"),
    Self("field-missing", .shape, .noted, "a member missing"),
    Self("field-null", .shape, .noted, "a member null"),
    Self("field-type", .shape, .noted, "a member of another type"),
    Self("twice", .form, .noted, "the body twice"),
    Self("type-only", .form, .noted, "the recorded body as text/html"),
    Self("slow", .none, .unnoticed, "the response 80 ms late"),
    Self("lowercase-names", .none, .unnoticed, "lowercase field names"),
    Self("extra", .none, .unnoticed, "one more member in each object"),
  ]
}
