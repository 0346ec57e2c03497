@_spi(WindTunnel) internal import WindTunnelCore

/// Numbers in place of values of one call, from 0: equal values have equal ones.
package struct CallNumbers: Sendable {
  /// Beyond so many values none is known again, and each has a number that equals no other.
  private let valuesMax: Int
  private var unknown = 0

  private var numbers: [Fingerprint: Int] = [:]

  /// Begins with no value, and with room for so many.
  package init(keeping valuesMax: Int = 1 << 12) { self.valuesMax = valuesMax }

  /// Returns the number of a value, which has its kind in front.
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

/// The numbers in place of values that must stand in no report and are compared from call to call:
/// equal values have equal ones.
///
/// A number begins with the call in which its value was first seen, so that calls of several
/// processes have none in common by chance.
package struct ValueNumbers: Sendable {
  /// So many values are known at least; of more the ones that were seen longest ago are forgotten.
  private static let valuesMax = 1 << 15
  /// The greatest number of values of one call with numbers of their own.
  private static let valuesOfCallMax = 1 << 12

  /// The values that were seen lately, and those before them.
  private var recent: [Fingerprint: Int] = [:]
  private var before: [Fingerprint: Int] = [:]

  /// Begins with no value.
  package init() {}

  /// Returns the number of a value, which is a new one where it was not seen before.
  ///
  /// - Parameters:
  ///   - value: The value, with its kind in front.
  ///   - call: The call whose request brings it.
  ///   - count: The number of values that were first seen in that call.
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
