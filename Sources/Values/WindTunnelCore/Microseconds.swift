/// An optional duration in whole microseconds that takes eight bytes.
///
/// A `Duration?` has three times that size, and a report has millions of durations.
@propertyWrapper public struct Microseconds: Sendable, Hashable, Comparable {
  /// The minimum value means `nil`.
  private var count: Int64

  /// Creates a value from a duration, truncated to microseconds and limited to 290,000 years.
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

  /// Creates a value from the initial value of a property.
  public init(wrappedValue: Duration?) { self.init(wrappedValue) }

  /// The duration; `nil` if there is none.
  public var wrappedValue: Duration? {
    get { count == .min ? nil : .microseconds(count) }
    set { self = Microseconds(newValue) }
  }

  /// Compares durations; a missing one is the smallest.
  public static func < (one: Microseconds, other: Microseconds) -> Bool { one.count < other.count }
}
