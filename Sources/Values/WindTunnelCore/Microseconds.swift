/// A length of time in whole microseconds that may be missing, in eight bytes: a `Duration?` has
/// three times as many, and a report holds millions.
@propertyWrapper public struct Microseconds: Sendable, Hashable, Comparable {
  /// The least number stands for none.
  private var count: Int64

  /// Takes a length; what is less than a microsecond is left out, and what is more than 290,000
  /// years is as many.
  public init(_ length: Duration?) {
    guard let length else {
      count = .min
      return
    }
    let (seconds, attoseconds) = length.components
    let (whole, isFar) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, isBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    count = isFar || isBeyond ? (seconds < 0 ? .min + 1 : .max) : max(sum, .min + 1)
  }

  /// Takes the first value of a property.
  public init(wrappedValue: Duration?) { self.init(wrappedValue) }

  /// The length; `nil` where it is missing.
  public var wrappedValue: Duration? {
    get { count == .min ? nil : .microseconds(count) }
    set { self = Microseconds(newValue) }
  }

  /// Orders lengths; one that is missing comes first.
  public static func < (one: Microseconds, other: Microseconds) -> Bool { one.count < other.count }
}
