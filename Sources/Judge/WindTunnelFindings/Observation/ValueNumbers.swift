@_spi(WindTunnel) internal import WindTunnelCore

/// Numbers in place of the values of one call, from 0. Equal values have equal numbers.
package struct CallNumbers: Sendable {
  /// The maximum number of known values. Each further value has a number of its own.
  private let valuesMax: Int
  private var unknown = 0

  private var numbers: [Fingerprint: Int] = [:]

  /// Creates an empty table with a maximum number of values.
  package init(keeping valuesMax: Int = 1 << 12) { self.valuesMax = valuesMax }

  /// Returns the number of a value, which begins with its kind.
  package mutating func number(of value: String) -> Int {
    let print = Fingerprint(value)
    if let known = numbers[print] { return known }
    guard numbers.count < valuesMax else {
      unknown += 1
      return valuesMax + unknown
    }
    numbers[print] = numbers.count
    return numbers.count - 1
  }
}

/// Numbers in place of values that must not be in a report, but are compared between calls. Equal
/// values have equal numbers.
///
/// A number is derived from the call in which its value first appeared. Numbers of several
/// processes are therefore never equal by chance.
package struct ValueNumbers: Sendable {
  /// The minimum number of known values. With more values, the oldest are forgotten.
  private static let valuesMax = 1 << 15
  /// The maximum number of values of one call with numbers of their own.
  private static let valuesOfCallMax = 1 << 12

  /// The recent values, and the values before them.
  private var recent: [Fingerprint: Int] = [:]
  private var before: [Fingerprint: Int] = [:]

  /// Creates an empty table.
  package init() {}

  /// Returns the number of a value. A new value gets a new number.
  ///
  /// - Parameters:
  ///   - value: The value, which begins with its kind.
  ///   - call: The call whose request contains it.
  ///   - count: The number of values that first appeared in that call.
  /// - Returns: The number.
  package mutating func number(of value: String, in call: Int, _ count: inout Int) -> Int {
    let print = Fingerprint(value)
    if let known = recent[print] { return known }
    let number: Int
    if let known = before[print] {
      number = known
    } else {
      number = call * Self.valuesOfCallMax + count % Self.valuesOfCallMax
      count += 1
    }
    if recent.count >= Self.valuesMax { (before, recent) = (recent, [:]) }
    recent[print] = number
    return number
  }
}
