/// Two faults of one rule that cannot both happen to an exchange: where the later of them stands, and
/// why.
struct FaultConflict: Sendable, Hashable {
  /// The place in the list of the fault that cannot be met as well.
  var index: Int
  /// What stands against it, as a part of a sentence.
  var reason: String

  /// What a rule may hold.
  static let remedy =
    "One rule takes one way for the connection to fail and nothing else of the answer, or else at "
    + "most one of \"status\" and \"answer\", one \"malformed\", and one place where the answer ends. "
    + "What should happen to different requests belongs in rules of their own."
}

extension FaultConflict {
  /// The first conflict in a list of faults, which compose in their order; `nil`: all can happen.
  init?(_ faults: [Fault]) {
    for (index, fault) in faults.enumerated() {
      for (place, other) in faults[..<index].enumerated() {
        guard let reason = Self.reason(other, fault) ?? Self.reason(fault, other) else { continue }
        self.init(index: index, reason: "faults[\(place)] stands against it: \(reason)")
        return
      }
    }
    return nil
  }

  /// Why one fault leaves no room for the other; `nil`: it does.
  private static func reason(_ one: Fault, _ other: Fault) -> String? {
    if case .connection(let fault) = one, fault.symptom != nil,
      other.isOfAnswer || other.failsConnection
    {
      return "a connection that fails carries no answer and fails in one way"
    }
    if one.isAnswerOfItsOwn, other.isAnswerOfItsOwn { return "there is one answer" }
    if case .malformed = one, case .malformed = other { return "an answer has one form" }
    guard one.endsAnswer else { return nil }
    if other.endsAnswer { return "an answer ends once" }
    if case .idle = other { return "only a connection whose answer was whole is idle" }
    return one.endsBeforeAnswer && other.isOfAnswer ? "the answer ends before its first byte" : nil
  }
}

extension Fault {
  fileprivate var failsConnection: Bool {
    if case .connection(let fault) = self { fault.symptom != nil } else { false }
  }

  /// Whether it shows in the bytes of an answer or in when they come.
  fileprivate var isOfAnswer: Bool {
    switch self {
    case .delay, .connection: false
    default: true
    }
  }

  /// Whether it is another answer in place of the recorded one.
  fileprivate var isAnswerOfItsOwn: Bool {
    switch self {
    case .status, .answer: true
    default: false
    }
  }

  /// Whether nothing comes after a place in the answer.
  fileprivate var endsAnswer: Bool {
    switch self {
    case .reset, .close, .stall, .truncate: true
    case .cut(let cut): if case .stall(_?) = cut.ending { false } else { true }
    default: false
    }
  }

  fileprivate var endsBeforeAnswer: Bool {
    switch self {
    case .reset(nil), .close, .stall(nil): true
    case .cut(let cut): endsAnswer && cut.point == .afterRequest
    default: false
    }
  }
}
