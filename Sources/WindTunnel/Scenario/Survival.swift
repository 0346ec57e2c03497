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

  /// The account in a sentence.
  package var words: String {
    let who =
      switch calls {
      case .all: "Every call can go well"
      case .some: "Some calls can go well"
      case .none: "No call can go well"
      }
    return "\(who): by \(by). Wrong is \(wrong)."
  }

  init(reading object: consuming ObjectReader) throws(FormatError) {
    guard let calls = try object.choice("calls", Calls.self) else {
      throw object.error("calls", "it says which calls can go well: all, some or none")
    }
    guard let by = try object.string("by") else {
      throw object.error("by", "it says by what a client comes out well")
    }
    guard let wrong = try object.string("wrong") else {
      throw object.error("wrong", "it says what is wrong to do")
    }
    self.init(calls, by: by, wrong: wrong)
    try object.refuseUnknownKeys()
    notes = object.notes
  }

  var json: JSON {
    .object(
      JSON.members(["calls": .text(calls.rawValue), "by": .text(by), "wrong": .text(wrong)])
        + notes
    )
  }
}
