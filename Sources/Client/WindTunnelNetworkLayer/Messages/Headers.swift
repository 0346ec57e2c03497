/// The header fields of a request or a response, in order. Names are case-insensitive.
public struct Headers: Sendable, Hashable {
  /// One field of a list.
  public struct Field: Sendable, Hashable, Codable {
    /// The name as it is written.
    public var name: String
    /// The value as it is sent.
    public var value: String

    /// Creates a field with a name and a value.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The fields in order.
  public private(set) var fields: [Field]

  /// Creates header fields in this order.
  public init(_ fields: [Field] = []) { self.fields = fields }

  /// Accesses the first value of a name, which is case-insensitive (RFC 9110 §5.1).
  ///
  /// Setting a value replaces all fields with the name, and `nil` removes them.
  public subscript(name: String) -> String? {
    get { fields.first { $0.isNamed(name) }?.value }
    set {
      let place = fields.firstIndex { $0.isNamed(name) } ?? fields.endIndex
      fields.removeAll { $0.isNamed(name) }
      if let newValue { fields.insert(Field(name, newValue), at: place) }
    }
  }

  /// Returns these fields, in which other fields replace those with the same names.
  func replacing(with others: Headers) -> Headers {
    let kept = fields.filter { field in !others.fields.contains { $0.isNamed(field.name) } }
    return Headers(kept + others.fields)
  }
}

extension Headers: ExpressibleByDictionaryLiteral {
  /// Creates header fields in this order. A name may occur twice.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field($0.0, $0.1) }
  }
}

extension Headers.Field {
  /// Returns whether the field has a name. Names are tokens and therefore ASCII (RFC 9110 §5.1).
  func isNamed(_ other: String) -> Bool {
    name.utf8.elementsEqual(other.utf8) { $0.loweredASCII == $1.loweredASCII }
  }
}

extension UInt8 {
  fileprivate var loweredASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
