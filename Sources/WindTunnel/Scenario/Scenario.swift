/// A link, rules and gates under a name: what goes wrong, and what a client must reach in it.
public struct Scenario: Sendable, Hashable {
  /// The name, which goes into every draw.
  public var name: String
  /// One sentence about it.
  public var summary: String?
  /// The path to the server; `nil`: as fast as it goes.
  public var link: Link?
  /// The rules, in the order in which they compose.
  public var rules: [Rule]
  /// The calls that their callers give up.
  public var cancellation: Cancellation?
  /// Keys of the cancellation that begin with `_`.
  var cancellationNotes: [JSON.Member] = []
  /// The requests whose calls must show something.
  public var critical: [RequestPattern]
  /// The bars that a client has to clear in it.
  public var gates: [Gate]
  /// Keys that begin with `_`: kept as they are.
  public var notes: [JSON.Member] = []
  /// Keys of the link that begin with `_`.
  public var linkNotes: [JSON.Member] = []

  /// Makes a scenario.
  public init(
    _ name: String,
    summary: String? = nil,
    link: Link? = nil,
    rules: [Rule] = [],
    critical: [RequestPattern] = [],
    gates: [Gate] = []
  ) {
    self.name = name
    self.summary = summary
    self.link = link
    self.rules = rules
    self.critical = critical
    self.gates = gates
  }

  /// Nothing goes wrong.
  public static let calm = Scenario("calm")

  /// Tells whether a request belongs to a critical endpoint.
  public func isCritical(_ request: Request) -> Bool { critical.contains { $0.matches(request) } }

  /// Tells whether it is about connections that are kept after an answer, so that a server has to keep
  /// them.
  public var keepsConnections: Bool {
    rules.lazy.flatMap(\.faults).contains { fault in
      guard case .idle = fault else { return false }
      return true
    }
  }

  /// Tells whether any rule fails connections, which takes an address of their own on the wire.
  public var hasConnectionFaults: Bool {
    rules.lazy.flatMap(\.faults).contains { fault in
      guard case .connection = fault else { return false }
      return true
    }
  }
}

extension Scenario: ExpressibleByArrayLiteral {
  /// The name of every plan.
  static let planName = "plan"

  /// A plan: one rule after the other.
  public init(arrayLiteral elements: Rule...) { self.init(Self.planName, rules: elements) }
}
