/// The result that can be expected of a client in a scenario: which calls can succeed, by what
/// means, and what would be wrong to do.
public struct Survival: Sendable, Hashable {
  /// The share of a careful client's calls that succeed.
  public enum Calls: String, Sendable, Hashable, CaseIterable {
    /// Every one of them.
    case all
    /// Some of the calls, by chance.
    case some
    /// No call: a client that reports a success is wrong.
    case none
  }

  /// The share of the calls that can succeed.
  public var calls: Calls
  /// The means by which calls succeed, or by which a client copes where none can.
  public var by: String
  /// The behaviour that would be wrong.
  public var wrong: String
  /// Keys that begin with `_`: kept as they are.
  var notes: [JSON.Member] = []

  /// Makes an expectation of its parts.
  public init(_ calls: Calls, by: String, wrong: String) {
    (self.calls, self.by, self.wrong) = (calls, by, wrong)
  }

}

extension Survival: JSONObject {
  package static let blank = Self(.none, by: "", wrong: "")

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let problem = "it says which calls can go well: all, some or none"
    var share: Calls? = calls
    try fields.choice("calls", &share)
    calls = try fields.required(share, ("calls", problem))
    try fields.string("by", &by, ("by", "it says by what a client comes out well"))
    try fields.string("wrong", &wrong, ("wrong", "it says what is wrong to do"))
    fields.notes(&notes)
  }
}
