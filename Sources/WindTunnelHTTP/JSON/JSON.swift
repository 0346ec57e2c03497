/// A JSON value that remembers how it was spelled: the order of keys, the digits of numbers and
/// the escapes of strings (RFC 8259).
///
/// A body may be stored as structure only if the very same bytes come back out of it, so nothing
/// that a spelling can tell may be lost on the way through this type.
public enum JSON: Sendable, Hashable {
  /// The literal `null` of JSON.
  case null
  /// The literal `true` or `false`.
  case bool(Bool)
  /// A number in its own digits, such as `1.50` or `1e3`.
  case number(String)
  /// A string, with its spelling where that is not our own.
  case string(Text)
  /// A list of values in their order.
  case array([JSON])
  /// Members in their order; a repeated name is kept.
  case object([Member])

  /// One member of an object.
  public struct Member: Sendable, Hashable {
    /// The member's name, which other members of the object may have, too.
    public var name: Text
    /// The value under that name.
    public var value: JSON

    /// Makes a member of a name and its value.
    public init(_ name: Text, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// A string and, where it is not our own, its spelling.
  public struct Text: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The string's value, in which escapes are decoded.
    public var value: String
    /// The text that stood between the quotes; `nil` where `JSON.escaped(_:)` writes the same.
    public var spelling: String?

    /// Makes a string in our own spelling.
    public init(_ value: String) { self.value = value }

    init(_ value: String, spelling: String?) {
      self.value = value
      self.spelling = spelling
    }

    /// Makes a string in our own spelling.
    public init(stringLiteral value: String) { self.value = value }
  }
}

extension JSON {
  /// A string in our own spelling.
  public static func text(_ value: String) -> JSON { .string(Text(value)) }

  /// Returns a number in the decimal digits of an integer.
  public static func number(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

  /// A number in the fewest digits that give it back; not finite is null.
  package static func exactly(_ value: Double) -> JSON {
    let rounded = number(value, places: 9)
    return rounded.doubleValue == value || !value.isFinite ? rounded : .number("\(value)")
  }

  /// A rate or a duration with at most `places` decimals and no trailing zeros; not finite is null.
  package static func number(_ value: Double, places: Int) -> JSON {
    guard value.isFinite else { return .null }
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    let rounded = (value * scale).rounded()
    guard rounded.magnitude < 9e15 else { return .number("\(value)") }
    let whole = Int64(rounded)
    var fraction = String(String(whole.magnitude % UInt64(scale) + UInt64(scale)).dropFirst())
    while fraction.hasSuffix("0") { fraction.removeLast() }
    let sign = whole < 0 ? "-" : ""
    let integer = "\(sign)\(whole.magnitude / UInt64(scale))"
    return .number(fraction.isEmpty ? integer : "\(integer).\(fraction)")
  }

  /// The member of a name, if this is an object that has one; the first of several.
  public subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.value == name }?.value
  }

  /// The string's value, if this is a string.
  public var stringValue: String? {
    guard case .string(let text) = self else { return nil }
    return text.value
  }

  /// The number, if this is one that a `Double` holds.
  public var doubleValue: Double? {
    guard case .number(let digits) = self else { return nil }
    return Double(digits)
  }

  /// The number, if this is a whole one that an `Int` holds.
  public var intValue: Int? {
    guard case .number(let digits) = self else { return nil }
    return Int(digits)
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral,
  ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Makes a string in our own spelling.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Makes a whole number.
  public init(integerLiteral value: Int) { self = .number(value) }
  /// Makes a number in the fewest digits that give the `Double` back.
  public init(floatLiteral value: Double) { self = .number("\(value)") }
  /// Makes a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Makes the literal `null` of JSON.
  public init(nilLiteral: ()) { self = .null }
  /// Makes a list of the elements in their order.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// Makes an object whose members keep their order.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member(Text($0.0), $0.1) })
  }
}
