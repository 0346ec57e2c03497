/// A broken rule or invariant: a result or an action of a client that is wrong under any faults.
public struct Violation: Sendable, Hashable {
  /// The name of the broken rule. It is a rule of findings such as `repeats-post`, or `hangs`,
  /// `crashes`, `blank-page`, `another-result`, `order-of-turns`, `expectation`, or the name of an
  /// invariant.
  public var rule: String
  /// The request that the violation is about, such as `POST /payments`. `nil` means the whole flow.
  public var request: String?
  /// A sentence that describes the observed behaviour.
  public var seen: String

  /// The invariant in Swift, such as `.exactlyOnce("POST /payments")`. `nil` if it is not an
  /// invariant, or if the caller has defined it.
  var invariant: String?

  /// Creates a violation of a flow's own invariant.
  ///
  /// - Parameters:
  ///   - rule: The invariant's name. Violations with the same name and request are one find.
  ///   - request: The request that the violation is about. `nil` means the whole flow.
  ///   - seen: A sentence that describes the observed behaviour.
  public init(_ rule: String, of request: String? = nil, _ seen: String) {
    (self.rule, self.request, self.seen) = (rule, request, seen)
  }

  /// The properties by which violations are equal.
  struct Identity: Hashable {
    var rule: String
    var request: String?
  }

  /// The identity of the violation. Each failed expectation has its own.
  var identity: Identity {
    Identity(rule: rule, request: rule == Self.expectation ? seen : request)
  }

  static let expectation = "expectation"

  /// The rules that only a search has, each with its description.
  public static let rules: KeyValuePairs<String, String> = [
    "hangs": "The flow does not end.",
    "crashes": "The flow ends by a trap or another signal.",
    "blank-page":
      "The flow fails or shows nothing, although another attempt would have succeeded in time.",
    "another-result":
      "The flow returns another result than in calm, although no response was changed.",
    "twice-at-once": "More POSTs are open at once than in calm.",
    "order-of-turns":
      "In calm, another order of the client's own tasks makes it fail or send more requests.",
    "expectation": "A user-defined expectation failed.",
  ]
}
