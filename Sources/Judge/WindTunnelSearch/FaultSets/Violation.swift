/// The end of a flow that no client should have, or a thing that it did on the way.
public struct Violation: Sendable, Hashable {
  /// The name of what is broken: that of a rule of findings such as `repeats-post`, `hangs`,
  /// `crashes`, `blank-page`, `another-result`, `order-of-turns`, `expectation`, or an invariant's.
  public var rule: String
  /// The request that it is about, such as `POST /payments`; `nil`: the flow.
  public var request: String?
  /// A sentence that says what was seen.
  public var seen: String

  /// The invariant in Swift, such as `.exactlyOnce("POST /payments")`; `nil` where it is none, or
  /// one of the user's own.
  var invariant: String?

  /// Makes one of a flow's own invariant.
  ///
  /// - Parameters:
  ///   - rule: The invariant's name; violations of one name and request are one find.
  ///   - request: The request that it is about; `nil`: the flow.
  ///   - seen: A sentence that says what was seen.
  public init(_ rule: String, of request: String? = nil, _ seen: String) {
    (self.rule, self.request, self.seen) = (rule, request, seen)
  }

  /// The name by which violations are the same.
  struct Identity: Hashable {
    var rule: String
    var request: String?
  }

  /// Of expectations each is another.
  var identity: Identity {
    Identity(rule: rule, request: rule == Self.expectation ? seen : request)
  }

  static let expectation = "expectation"
}

extension Violation {
  /// The rules that only a search has, each with what it says.
  public static let rules: KeyValuePairs<String, String> = [
    "hangs": "The flow does not end.",
    "crashes": "The flow ends by a trap or another signal.",
    "blank-page":
      "The flow fails or shows nothing where one more attempt within the deadline would have had "
      + "its answer.",
    "another-result": "The flow returns something else than in calm, and no answer was changed.",
    "twice-at-once": "A POST is under way more often at once than in calm.",
    "order-of-turns":
      "In calm another order of the client's own tasks makes it fail, or send more requests.",
    "expectation": "An expectation of the user's own failed.",
  ]
}
