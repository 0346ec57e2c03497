/// One element of a fault set: a fault at some requests, or an interruption by the user.
enum FaultSetElement: Sendable, Hashable {
  /// A fault of a kind at requests with a key, such as `GET /home`.
  case fault(FaultElement)
  /// An interruption by the user.
  case interruption(FaultSet.Interruption)

  /// A fault at some requests.
  struct FaultElement: Sendable, Hashable {
    /// The key of the requests. `nil` means every request.
    var key: String?
    var reach: Reach
    /// The name of the fault's kind.
    var kind: String
    var fault: Fault
  }

  /// The requests that a fault affects.
  enum Reach: Sendable, Hashable {
    /// The request with an ordinal.
    case attempt(Int)
    /// The first requests, up to a number.
    case first(Int)
    /// Every request with the key.
    case every
    /// Every request between two times of the flow.
    case window(Duration, Duration)
    /// Every request until the header field `Authorization` has another value.
    case untilRenewed
  }

  /// The element as text.
  var words: String {
    switch self {
    case .fault(let element): element.words
    case .interruption(.cancel(let step?, let after)):
      "the user cancels \"\(step)\" after \(Words.time(after)) and repeats it"
    case .interruption(.cancel(nil, let after)):
      "the user cancels everything after \(Words.time(after))"
    case .interruption(.restart(let after)):
      "the process ends after \(Words.time(after)) and restarts"
    }
  }

  /// The element for any attempt.
  struct General: Hashable {
    var key: String?
    var kind: String
    var isOfOne: Bool
  }

  /// The same element for any attempt of its requests.
  var general: General {
    switch self {
    case .interruption: return General(key: nil, kind: words, isOfOne: false)
    case .fault(let element):
      let isOfOne = if case .attempt = element.reach { true } else { false }
      return General(key: element.key, kind: element.kind, isOfOne: isOfOne)
    }
  }

  /// Whether the element affects all requests in a window of time.
  var isOutage: Bool {
    if case .fault(let element) = self, case .window = element.reach { true } else { false }
  }

  /// The request that the element affects, or `nil` if it can affect several.
  var place: FlowRun.RequestPosition? {
    guard case .fault(let element) = self, let key = element.key,
      case .attempt(let ordinal) = element.reach
    else { return nil }
    return FlowRun.RequestPosition(key: key, ordinal: ordinal)
  }

  /// Returns whether two elements may be in the same fault set.
  func agrees(with other: FaultSetElement) -> Bool {
    switch (self, other) {
    case (.fault(let one), .fault(let another)): !one.overlaps(another)
    case (.interruption, .interruption): false
    default: true
    }
  }
}

extension FaultSetElement.FaultElement {
  /// The rule that causes the fault.
  var rule: FaultRule {
    var trigger = Trigger()
    trigger.request = RequestPattern(key ?? "/**")
    switch reach {
    case .attempt(let ordinal): trigger.attempt = ordinal
    case .first(let count): trigger.first = count
    case .every: break
    case .window(let start, let end): trigger.window = TimeWindow(from: start, until: end)
    case .untilRenewed:
      (trigger.header, trigger.untilHeaderChanges) = (.present(Self.credential), Self.credential)
    }
    return FaultRule(when: trigger, [fault])
  }

  private static let credential = "Authorization"

  /// The element as text, such as `503 at the 2nd GET /home`.
  var words: String {
    let what = kind
    switch reach {
    case .attempt(let ordinal): return "\(what) at \(Self.ordinal(ordinal)) \(target)"
    case .first(1): return "\(what) at the 1st \(target)"
    case .first(let count): return "\(what) at the first \(count) of \(target)"
    case .every: return "\(what) at every \(target)"
    case .window(let start, let end):
      return "\(what) at every \(target) from \(Words.time(start)) to \(Words.time(end))"
    case .untilRenewed: return "\(what) at every \(target) until Authorization changes"
    }
  }

  private var target: String { key ?? "request" }

  private static func ordinal(_ number: Int) -> String {
    switch number {
    case 1: "the 1st"
    case 2: "the 2nd"
    case 3: "the 3rd"
    default: "the \(number)th"
    }
  }

  /// Returns whether both elements may affect the same request, which can only have one fault.
  func overlaps(_ other: Self) -> Bool {
    if let key, let others = other.key, key != others { return false }
    switch (reach, other.reach) {
    case (.attempt(let one), .attempt(let another)): return one == another
    case (.window(let start, let end), .window(let from, let to)): return start < to && from < end
    // If both apply to all requests, the first one affects each.
    case (.window, .attempt), (.attempt, .window): return false
    case (.untilRenewed, .attempt), (.attempt, .untilRenewed): return key != nil && other.key != nil
    default: return true
    }
  }
}

extension FaultSet {
  /// Creates a fault set by adding elements to a scenario.
  init(_ elements: [FaultSetElement], upon scenario: Scenario, order: TurnOrder = .arrival) {
    var scenario = scenario
    self.init(scenario, order: order)
    for element in elements {
      switch element {
      case .fault(let element): scenario.rules.append(element.rule)
      case .interruption(let interruption):
        self.interruption = interruption
        if case .cancel(nil, let after) = interruption {
          scenario.cancellation = Cancellation(share: 1, after: after)
        }
      }
    }
    self.scenario = scenario
  }
}
