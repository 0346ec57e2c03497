/// A JSON value that keeps its spelling: the order of keys, the digits of numbers and the escapes
/// of strings (RFC 8259).
///
/// A body is stored as structure only if the same bytes can be restored from it, so this type keeps
/// the whole spelling.
public enum JSON: Sendable, Hashable {
  /// The literal `null` of JSON.
  case null
  /// The literal `true` or `false`.
  case bool(Bool)
  /// A number in its original digits, such as `1.50` or `1e3`.
  case number(String)
  /// A string, with its spelling if that differs from the standard spelling.
  case string(Text)
  /// A list of values in their order.
  case array([JSON])
  /// The members of an object in their order; repeated names are kept.
  case object([Member])

  /// One member of an object.
  public struct Member: Sendable, Hashable {
    /// The member's name, which may occur more than once in an object.
    public var name: Text
    /// The value of the member.
    public var value: JSON

    /// Creates a member from a name and its value.
    public init(_ name: Text, _ value: JSON) { (self.name, self.value) = (name, value) }
  }

  /// A string, with its spelling if that differs from the standard spelling.
  public struct Text: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The string's value, with its escapes decoded.
    public var value: String
    /// The text between the quotes; `nil` if it equals `JSON.escaped(_:)`.
    public var spelling: String?

    /// Creates a string in the standard spelling.
    public init(_ value: String) { self.value = value }

    init(_ value: String, spelling: String?) { (self.value, self.spelling) = (value, spelling) }

    /// Creates a string in the standard spelling from a literal.
    public init(stringLiteral value: String) { self.value = value }
  }

  /// Returns the members whose value is not `nil`, in order.
  package static func members(_ members: KeyValuePairs<String, JSON?>) -> [Member] {
    members.compactMap { name, value in value.map { Member(Text(name), $0) } }
  }

  /// Creates a string in the standard spelling.
  public static func text(_ value: String) -> JSON { .string(Text(value)) }

  /// Creates a list of strings.
  package static func texts(_ texts: [String]) -> JSON { .array(texts.map { .text($0) }) }

  /// Creates a list of whole numbers.
  package static func numbers(_ numbers: [Int]) -> JSON { .array(numbers.map { .number($0) }) }

  /// Creates a number of milliseconds with three decimals.
  package static func milliseconds(_ time: Duration) -> JSON {
    .number(time.inMilliseconds, places: 3)
  }

  package static func orNull(_ text: String?) -> JSON { text.map { .text($0) } ?? .null }
  package static func orNull(_ number: Int?) -> JSON { number.map { .number($0) } ?? .null }
  package static func orNull(_ time: Duration?) -> JSON { time.map { .milliseconds($0) } ?? .null }

  /// Creates a number from the decimal digits of an integer.
  public static func number(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

  /// Returns a number in the fewest digits that restore the value; `null` if it is not finite.
  package static func exactly(_ value: Double) -> JSON {
    let rounded = number(value, places: 9)
    return rounded.doubleValue == value || !value.isFinite ? rounded : .number("\(value)")
  }

  /// Returns a number with at most `places` decimals and no trailing zeros; `null` if it is not
  /// finite.
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

  /// Accesses the first member with this name; `nil` if it is missing or the value is not an
  /// object.
  ///
  /// Setting a value replaces that member or appends a new one. Setting `nil` removes the member. A
  /// value that is not an object stays unchanged.
  public subscript(name: String) -> JSON? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.first { $0.name.value == name }?.value
    }
    set {
      guard case .object(var members) = self else { return }
      let place = members.firstIndex { $0.name.value == name }
      switch (place, newValue) {
      case (let place?, let value?): members[place].value = value
      case (let place?, nil): members.remove(at: place)
      case (nil, let value?): members.append(Member(Text(name), value))
      case (nil, nil): return
      }
      self = .object(members)
    }
  }

  /// The members of an object; empty for any other value.
  package var members: [Member] { if case .object(let members) = self { members } else { [] } }

  /// The elements of a list; empty for any other value.
  package var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

  /// Returns an object with members appended, and any other value unchanged.
  package func adding(_ more: [Member]) -> JSON {
    if case .object(let members) = self { .object(members + more) } else { self }
  }

  /// The string's value; `nil` for any other value.
  public var stringValue: String? {
    guard case .string(let text) = self else { return nil }
    return text.value
  }

  /// The number as a `Double`; `nil` for any other value and for a number out of range.
  public var doubleValue: Double? {
    guard case .number(let digits) = self else { return nil }
    return Double(digits)
  }

  /// The whole number as an `Int`; `nil` for any other value and for a number out of range.
  public var intValue: Int? {
    guard case .number(let digits) = self else { return nil }
    return Int(digits)
  }
}

extension [JSON.Member] {
  /// Adds a member if its value is not `nil`.
  package mutating func add(_ name: JSON.Text, _ value: JSON?) {
    if let value { append(JSON.Member(name, value)) }
  }

  /// Adds a time in milliseconds if it is not `nil`.
  package mutating func add(_ name: JSON.Text, _ value: Duration?) {
    if let value { append(JSON.Member(name, .milliseconds(value))) }
  }
}

extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral,
  ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Creates a string in the standard spelling from a literal.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates a whole number from a literal.
  public init(integerLiteral value: Int) { self = .number(value) }
  /// Creates a number in the fewest digits that restore the `Double`.
  public init(floatLiteral value: Double) { self = .number("\(value)") }
  /// Creates a Boolean value from a literal.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates the literal `null` of JSON.
  public init(nilLiteral: ()) { self = .null }
  /// Creates a list of the elements in their order.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// Creates an object whose members keep their order.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member(Text($0.0), $0.1) })
  }
}
