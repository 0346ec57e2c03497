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

  init(
    violation: Violation,
    faultSet: FaultSet,
    words: [String],
    run: FlowRun,
    certain: String?,
    after: Duration,
    seed: UInt64,
    number: Int
  ) {
    (self.violation, self.seed) = (violation, seed)
    (self.words, self.certain, self.after) = (words, certain, after)
    requests = run.requestLines
    var faultSet = faultSet
    let subject = violation.request.map { "-\($0)" } ?? ""
    faultSet.scenario.name = Self.name("\(violation.rule)\(subject)-\(number)")
    let order = if case .drawn(let seed) = faultSet.order { "order \(seed)" } else { "" }
    let what = (words + (order.isEmpty ? [] : [order])).joined(separator: "; ")
    faultSet.scenario.summary = "\(violation.seen) Fault set: \(what.isEmpty ? "none" : what)."
    if case .returned = run.ending {} else { faultSet.scenario.gates = Self.gates }
    self.faultSet = faultSet
  }

  /// The bar of a drill for a flow that has to succeed. The text is a gate's.
  private static let gates = [try? Gate("successRate >= 0.99")].compactMap(\.self)

  /// A name for files: letters, digits and single dashes.
  private static func name(_ text: String) -> String {
    var name = ""
    for character in text.lowercased() {
      if character.isASCII, character.isLetter || character.isNumber {
        name.append(character)
      } else if name.last != "-", !name.isEmpty {
        name.append("-")
      }
    }
    return name
  }
}
