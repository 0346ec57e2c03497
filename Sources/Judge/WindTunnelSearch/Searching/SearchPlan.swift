/// The extent of a search.
public struct SearchPlan: Sendable {
  /// The greatest number of things that go wrong in one fault set.
  public var depth = 2
  /// The number of orders of turns in which the flow is flown in calm.
  public var orders = 100
  /// The number of orders of turns in which each fault set of one thing is flown.
  public var ordersOfSingles = 4
  /// The machine's time after which no further fault set is flown; `nil`: none.
  public var budget: Duration? = .seconds(300)
  /// The greatest number of fault sets; `nil`: none. With it instead of ``budget`` every search of
  /// the same seed flies the same fault sets.
  public var faultSets: Int?
  /// The way to the failures of the flow's own expectations, such as `.swiftTesting` of the module
  /// `WindTunnelDrillTesting`; `nil`: they go where they always go.
  public var expectations: Expectations?
  /// The things that must be true at the origin after each flow.
  public var invariants: [Invariant] = []
  /// The rules that the client may break, by the names of ``Violation/rule``.
  public var allowed: Set<String> = []
  /// Tells whether users break steps off and come back, or cancel a flow that has no steps.
  public var cancels = true
  /// Tells whether the client's process ends in the midst of the flow, which then begins anew: for
  /// flows whose client keeps something that outlives its process.
  public var restarts = false

  /// The number of fault sets that are flown at once, each on a thread, beside the one that is
  /// judged; nothing that is found depends on it. More than one is for flows that share nothing
  /// with each other, such as a `static var` of their client's.
  public var workers = 1
  /// The number of finds with which the search ends.
  public var finds = 100
  /// The greatest number of fault sets that can be asked for.
  public static let faultSetsMax = 1_000_000_000
  /// The greatest depth that can be asked for.
  public static let depthMax = 6
  /// The greatest number of fault sets at once.
  public static let workersMax = 256
  /// The greatest number of orders.
  public static let ordersMax = 1_000_000

  /// Makes a plan of what is usual: every pair, a hundred orders, five minutes.
  public init() {}
}
