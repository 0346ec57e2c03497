/// Two faults of one rule that cannot both happen to an exchange: where the later of them stands, and
/// why.
struct FaultConflict: Sendable, Hashable {
  /// The place in the list of the fault that cannot be met as well.
  var index: Int
  /// The reason that stands against it, as a part of a sentence.
  var reason: String

  /// The faults that a rule may hold, in words.
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

  /// Returns why one fault leaves no room for the other; `nil`: it does.
  private static func reason(_ one: Fault, _ other: Fault) -> String? {
    switch (one.role, other.role) {
    case (_, .delay), (_, .lateConnection): nil
    case (.failedConnection, _): "a connection that fails carries no answer and fails in one way"
    case (.refusal, .refusal), (.refusal, .replacement), (.replacement, .refusal),
      (.replacement, .replacement):
      "there is one answer"
    case (.form, .form): "an answer has one form"
    case (.end, .end): "an answer ends once"
    case (.end, .idleEnd): "only a connection whose answer was whole is idle"
    case (_, .failedConnection): nil
    case (.end(isBeforeAnswer: true), _): "the answer ends before its first byte"
    default: nil
    }
  }
}
