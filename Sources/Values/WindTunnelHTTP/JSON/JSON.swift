/// A JSON value that remembers how it was spelled: the order of keys, the digits of numbers and
/// the escapes of strings (RFC 8259).
///
/// A body may be stored as structure only if the very same bytes come back out of it, so that this
/// type loses nothing of the spelling.
public enum JSON: Sendable, Hashable {
  /// The literal `null` of JSON.
  case null
  /// The literal `true` or `false`.
  case bool(Bool)
  /// A number in its own digits, such as `1.50` or `1e3`.
  case number(String)
  /// A string, with its spelling where the standard one differs.
  case string(Text)
  /// A list of values in their order.
  case array([JSON])
  /// The members of an object, in order; a repeated name is kept.
  case object([Member])

  /// One member of an object.
  public struct Member: Sendable, Hashable {
    /// The member's name, which other members of the object may have, too.
    public var name: Text
    /// The value under that name.
    public var value: JSON

    /// Makes a member of a name and its value.
    public init(_ name: Text, _ value: JSON) { (self.name, self.value) = (name, value) }
  }

  /// A string and, where the standard one differs, its spelling.
  public struct Text: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The string's value, with its escapes decoded.
    public var value: String
    /// The text that stood between the quotes; `nil` where `JSON.escaped(_:)` writes the same.
    public var spelling: String?

    /// Makes a string in the standard spelling.
    public init(_ value: String) { self.value = value }

    init(_ value: String, spelling: String?) { (self.value, self.spelling) = (value, spelling) }

    /// Makes a string in the standard spelling.
    public init(stringLiteral value: String) { self.value = value }
  }
}

extension [JSON.Member] {
  /// Adds a member if there is a value for it.
  package mutating func add(_ name: JSON.Text, _ value: JSON?) {
    if let value { append(JSON.Member(name, value)) }
  }

  /// Adds a time in milliseconds if there is one.
  package mutating func add(_ name: JSON.Text, _ value: Duration?) {
    if let value { append(JSON.Member(name, .milliseconds(value))) }
  }
}

extension JSON {
  /// Returns the members that have a value, in order.
  package static func members(_ members: KeyValuePairs<String, JSON?>) -> [Member] {
    members.compactMap { name, value in value.map { Member(Text(name), $0) } }
  }

  /// Makes a string in the standard spelling.
  public static func text(_ value: String) -> JSON { .string(Text(value)) }

  /// Makes a list of strings.
  package static func texts(_ texts: [String]) -> JSON { .array(texts.map { .text($0) }) }

  /// Makes a list of whole numbers.
  package static func numbers(_ numbers: [Int]) -> JSON { .array(numbers.map { .number($0) }) }

  /// Makes a number of milliseconds with three places.
  package static func milliseconds(_ time: Duration) -> JSON {
    .number(time.inMilliseconds, places: 3)
  }

  package static func orNull(_ text: String?) -> JSON { text.map { .text($0) } ?? .null }
  package static func orNull(_ number: Int?) -> JSON { number.map { .number($0) } ?? .null }
  package static func orNull(_ time: Duration?) -> JSON { time.map { .milliseconds($0) } ?? .null }

  /// Makes a number in the decimal digits of an integer.
  public static func number(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

  /// Returns a number in the fewest digits that give it back; not finite is null.
  package static func exactly(_ value: Double) -> JSON {
    let rounded = number(value, places: 9)
    return rounded.doubleValue == value || !value.isFinite ? rounded : .number("\(value)")
  }

  /// Returns a rate or a duration with at most `places` decimals and no trailing zeros; not finite
  /// is null.
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

  /// Accesses the first member with this name; `nil` where there is none or the value is not an
  /// object.
  ///
  /// A value that is set takes the place of that member, or becomes the last one; `nil` removes the
  /// member. A value that is not an object stays as it is.
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

  /// The members of an object; none of any other value.
  package var members: [Member] { if case .object(let members) = self { members } else { [] } }

  /// The elements of a list; none of any other value.
  package var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

  /// Returns an object with more members behind its own, and any other value as it is.
  package func adding(_ more: [Member]) -> JSON {
    if case .object(let members) = self { .object(members + more) } else { self }
  }

  /// The string's value; `nil` for any other value.
  public var stringValue: String? {
    guard case .string(let text) = self else { return nil }
    return text.value
  }

  /// The number as a `Double`; `nil` for any other value and for a number that it cannot hold.
  public var doubleValue: Double? {
    guard case .number(let digits) = self else { return nil }
    return Double(digits)
  }

  /// The whole number as an `Int`; `nil` for any other value and for a number that it cannot hold.
  public var intValue: Int? {
    guard case .number(let digits) = self else { return nil }
    return Int(digits)
  }
}

extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral,
  ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Makes a string in the standard spelling.
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
