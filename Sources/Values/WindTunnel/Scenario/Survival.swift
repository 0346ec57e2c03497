/// The result that can be expected of a client in a scenario: which calls can succeed and how, and
/// which behaviour would be wrong.
public struct Survival: Sendable, Hashable, JSONObject {
  /// The calls that succeed with a careful client.
  public enum Calls: String, Sendable, Hashable, CaseIterable {
    /// Every call can succeed.
    case all
    /// Calls that succeed or fail by chance.
    case some
    /// No call: a client that reports a success is wrong.
    case none
  }

  /// The share of the calls that can succeed.
  public var calls: Calls
  /// The means by which calls succeed, or by which a client copes if no call can succeed.
  public var by: String
  /// The behaviour that would be wrong.
  public var wrong: String
  /// The members whose names begin with `_`, kept as they are.
  var notes: [JSON.Member] = []

  /// Creates an expectation from its three parts.
  public init(_ calls: Calls, by: String, wrong: String) {
    (self.calls, self.by, self.wrong) = (calls, by, wrong)
  }

  package static let blank = Self(.none, by: "", wrong: "")

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let problem = "expected all, some or none: the calls that can succeed"
    var share: Calls? = calls
    try fields.choice("calls", &share)
    calls = try fields.required(share, ("calls", problem))
    try fields.string("by", &by, ("by", "the client's right behaviour is missing"))
    try fields.string("wrong", &wrong, ("wrong", "the client's wrong behaviour is missing"))
    fields.notes(&notes)
  }
}
