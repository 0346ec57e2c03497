/// A fault that was decided for an exchange, and that was not possible with its response.
public struct UndoneFault: Sendable, Hashable, CustomStringConvertible {
  /// The fault as it was decided.
  public var fault: Fault
  /// The reason, half a sentence: `the response has 4 events`.
  public var reason: String

  /// Creates an undone fault with its reason.
  public init(_ fault: Fault, because reason: String) {
    (self.fault, self.reason) = (fault, reason)
  }

  /// The whole sentence: `{"resetAfterEvents":5} was not done: the response has 4 events.`
  public var description: String { "\(fault.json) was not done: \(reason)." }
}
