/// A length of time in whole microseconds that may be missing, in eight bytes: a `Duration?` has
/// three times as many, and a report holds millions.
public struct Microseconds: Sendable, Hashable {
  /// The least number stands for none.
  @usableFromInline let count: Int64

  /// Takes a length; what is less than a microsecond is left out, and what is more than 290,000
  /// years is as many.
  @inlinable public init(_ length: Duration?) {
    guard let length else {
      count = .min
      return
    }
    let (seconds, attoseconds) = length.components
    let (sum, isBeyond) = seconds.multipliedReportingOverflow(by: 1_000_000)
    count = isBeyond ? (seconds < 0 ? .min + 1 : .max) : sum &+ attoseconds / 1_000_000_000_000
  }

  /// The length; `nil` where it is missing.
  @inlinable public var length: Duration? { count == .min ? nil : .microseconds(count) }
}
