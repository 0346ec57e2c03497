/// A fault set that breaks the flow, reduced as far as possible.
public struct Find: Sendable {
  /// The violation that the fault set causes.
  public let violation: Violation
  /// The fault set that breaks the flow.
  public let faultSet: FaultSet
  /// The elements of the fault set, as text.
  public let words: [String]
  /// The requests of the flow with that fault set, as text, with their times.
  public let requests: [String]
  /// The decision after which the result was certain, as text; `nil` if no request met a fault.
  public let certain: String?
  /// The real time of the search until it was found.
  public let after: Duration
  /// The seed of all random draws.
  let seed: UInt64
  /// The number of larger fault sets with the same violation.
  public internal(set) var others = 0
  /// Whether an earlier report does not contain it; `nil` if there is no earlier report.
  public internal(set) var isNew: Bool?

  /// A fault set that cannot be reduced further.
  struct Least {
    var elements: [FaultSetElement]
    var order: TurnOrder
    var violation: Violation
    var run: FlowRun
    /// The decision after which the result was certain, as text.
    var certain: String?
  }

  init(
    _ least: Least,
    upon scenario: Scenario,
    after: Duration,
    seed: UInt64,
    number: Int
  ) {
    (violation, self.seed) = (least.violation, seed)
    (words, certain, self.after) = (least.elements.map(\.words), least.certain, after)
    requests = least.run.requestLines
    var faultSet = FaultSet(least.elements, upon: scenario, order: least.order)
    let subject = violation.request.map { "-\($0)" } ?? ""
    faultSet.scenario.name = Self.name("\(violation.rule)\(subject)-\(number)")
    let order = if case .drawn(let seed) = faultSet.order { "order \(seed)" } else { "" }
    let text = (words + (order.isEmpty ? [] : [order])).joined(separator: "; ")
    faultSet.scenario.summary = "\(violation.seen) Fault set: \(text.isEmpty ? "none" : text)."
    if case .returned = least.run.ending {} else { faultSet.scenario.gates = Self.gates }
    self.faultSet = faultSet
  }

  /// The gates of a drill for a flow that must succeed. The text is valid, so parsing cannot fail.
  private static let gates = [try? Gate("successRate >= 0.99")].compactMap(\.self)

  /// Returns a name for files: letters, digits and single dashes.
  private static func name(_ text: String) -> String {
    text.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
      .joined(separator: "-")
  }
}
