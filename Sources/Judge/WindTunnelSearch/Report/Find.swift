/// A fault set that sinks the flow, made as small as it can be.
public struct Find: Sendable {
  /// The thing that is broken.
  public let violation: Violation
  /// The fault set that breaks the flow.
  public let faultSet: FaultSet
  /// The things that go wrong in it, in words.
  public let words: [String]
  /// The requests of the flow in that fault set, in words, with their times.
  public let requests: [String]
  /// The decision after which the end was certain, in words; `nil` where no request met a fault.
  public let certain: String?
  /// The machine's time after which it was found.
  public let after: Duration
  /// The seed of all draws.
  let seed: UInt64
  /// The number of larger fault sets that broke the same.
  public internal(set) var others = 0
  /// Tells whether an earlier certificate did not have it; `nil` where there is none to compare
  /// with.
  public internal(set) var isNew: Bool?

  /// A fault set of which nothing can be left out.
  struct Least {
    var elements: [FaultSetElement]
    var order: TurnOrder
    var violation: Violation
    var run: FlowRun
    /// The decision after which the end was certain, in words.
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
    let what = (words + (order.isEmpty ? [] : [order])).joined(separator: "; ")
    faultSet.scenario.summary = "\(violation.seen) Fault set: \(what.isEmpty ? "none" : what)."
    if case .returned = least.run.ending {} else { faultSet.scenario.gates = Self.gates }
    self.faultSet = faultSet
  }

  /// The bar of a drill for a flow that has to succeed. The text is a gate's.
  private static let gates = [try? Gate("successRate >= 0.99")].compactMap(\.self)

  /// A name for files: letters, digits and single dashes.
  private static func name(_ text: String) -> String {
    text.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
      .joined(separator: "-")
  }
}
