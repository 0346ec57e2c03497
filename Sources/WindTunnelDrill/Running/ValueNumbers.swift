internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The numbers in place of one call's values, from 0: equal values have equal ones.
struct CallNumbers: Sendable {
  /// Beyond so many values they are taken for one: no client sends as many.
  private static let valuesMax = 1 << 12

  private var numbers: [Fingerprint: Int] = [:]

  /// Returns the number of a value, which has its kind in front.
  mutating func number(of value: String) -> Int {
    let print = Fingerprint(value)
    if let known = numbers[print] { return known }
    guard numbers.count < Self.valuesMax else { return Self.valuesMax }
    numbers[print] = numbers.count
    return numbers.count - 1
  }
}

/// The numbers in place of values that must stand in no report and are compared from call to call:
/// equal values have equal ones.
///
/// A number begins with the call in which its value was first seen, so that calls of several
/// processes have none in common by chance.
struct ValueNumbers: Sendable {
  /// The number of values that are remembered at least; of more, those seen longest ago are
  /// forgotten.
  private static let valuesMax = 1 << 15
  /// The greatest number of values of one call with numbers of their own.
  private static let valuesOfCallMax = 1 << 12

  /// The values that were seen lately, and those before them.
  private var recent: [Fingerprint: Int] = [:]
  private var before: [Fingerprint: Int] = [:]

  /// Returns the number of a value, which is a new one where it was not seen before.
  ///
  /// - Parameters:
  ///   - value: The value, with its kind in front.
  ///   - call: The call whose request brings it.
  ///   - count: The number of values that were first seen in that call.
  /// - Returns: The number.
  mutating func number(of value: String, in call: Int, _ count: inout Int) -> Int {
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
