// The lock and the log of the os module.
public final class OSAllocatedUnfairLock<State>: @unchecked Sendable {
  private var state: State
  public init(uncheckedState: State) { state = uncheckedState }
  public func withLockUnchecked<Result>(
    _ body: (inout State) throws -> Result
  ) rethrows -> Result { try body(&state) }
}

extension OSAllocatedUnfairLock where State: Sendable {
  public convenience init(initialState: State) { self.init(uncheckedState: initialState) }
}

public struct OSLogPrivacy: Sendable {
  public static let `public` = OSLogPrivacy()
  public static let `private` = OSLogPrivacy()
}

public struct OSLogInterpolation: StringInterpolationProtocol {
  public init(literalCapacity: Int, interpolationCount: Int) {}
  public mutating func appendLiteral(_ literal: String) {}
  public mutating func appendInterpolation(
    _ text: @autoclosure @escaping () -> String,
    privacy: OSLogPrivacy = .private
  ) {}
}

public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
  public init(stringLiteral: String) {}
  public init(stringInterpolation: OSLogInterpolation) {}
}

public struct Logger: Sendable {
  public init(subsystem: String, category: String) {}
  public func log(_ message: OSLogMessage) {}
}
