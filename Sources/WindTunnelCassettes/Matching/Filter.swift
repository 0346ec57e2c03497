/// A condition written in Swift, asked only about recordings whose keys are the request's.
///
/// Filters of one name are taken for one and the same: functions cannot be compared.
public struct Filter: Sendable, Hashable {
  /// What the explanation of a mismatch calls it.
  public let name: String
  private let condition: @Sendable (_ recorded: Request, _ asked: Request) -> Bool

  /// Names a condition. It runs under the deck's lock, so it must be quick and must not ask the
  /// deck.
  public init(
    _ name: String,
    _ condition: @escaping @Sendable (_ recorded: Request, _ asked: Request) -> Bool
  ) {
    self.name = name
    self.condition = condition
  }

  /// Whether a recording may answer a request.
  public func allows(_ recorded: Request, _ asked: Request) -> Bool { condition(recorded, asked) }

  /// Whether two filters bear one name.
  public static func == (left: Filter, right: Filter) -> Bool { left.name == right.name }

  /// The name goes into the hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
