/// The extent of a search.
public struct SearchPlan: Sendable {
  /// The maximum number of elements in a fault set.
  public var depth = 2
  /// The number of task orders in which the flow runs without faults.
  public var orders = 100
  /// The number of task orders in which each fault set with one element runs.
  public var ordersOfSingles = 4
  /// The real time after which no further fault set runs. `nil` means no limit.
  public var budget: Duration? = .seconds(300)
  /// The maximum number of fault sets. `nil` means no maximum. If it is set in place of ``budget``,
  /// every search with the same seed runs the same fault sets.
  public var faultSets: Int?
  /// The function that catches failures of the flow's own expectations, such as `.swiftTesting` of
  /// the module `WindTunnelDrillTesting`. `nil` means that they are reported as usual.
  public var expectations: Expectations?
  /// The conditions that must be true at the origin after each flow.
  public var invariants: [Invariant] = []
  /// The rules that the client may break, by their names in ``Violation/rule``.
  public var allowed: Set<String> = []
  /// Whether users leave steps and return, or cancel a flow without steps.
  public var cancels = true
  /// Whether the client's process ends during the flow, which then starts again. For flows whose
  /// client keeps state beyond its process.
  public var restarts = false

  /// The number of fault sets that run at once, each on its own thread, in addition to the one
  /// being judged. It does not affect the finds. More than one requires that flows share no state,
  /// such as a `static var` of their client.
  public var workers = 1
  /// The number of finds at which the search ends.
  public var finds = 100
  /// The maximum value of ``faultSets``.
  public static let faultSetsMax = 1_000_000_000
  /// The maximum value of ``depth``.
  public static let depthMax = 6
  /// The maximum value of ``workers``.
  public static let workersMax = 256
  /// The maximum value of ``orders`` and ``ordersOfSingles``.
  public static let ordersMax = 1_000_000

  /// Creates the default plan: every pair, a hundred task orders, five minutes.
  public init() {}
}
