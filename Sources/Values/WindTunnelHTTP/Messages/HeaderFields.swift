/// One header field, in its original spelling.
public struct HeaderField: Sendable, Hashable {
  /// The name as it was sent. Comparisons ignore its case.
  public var name: String
  /// The value without the white space around it.
  public var value: String

  /// Creates a field from a name and a value.
  public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

  /// Whether the field has this name, ignoring case (RFC 9110 §5.1).
  public func isNamed(_ other: String) -> Bool { name.equalsIgnoringASCIICase(other) }
}

/// The header fields of a message: a list that keeps order, repeated names and spelling, with
/// case-insensitive look-up.
public struct HeaderFields: Sendable, Hashable, RandomAccessCollection, MutableCollection {
  private var fields: [HeaderField]

  /// Creates a list of fields in their order.
  public init(_ fields: [HeaderField] = []) { self.fields = fields }

  /// Accesses the first value of a name.
  ///
  /// Setting a value replaces all fields with the name, at the position of the first. Setting `nil`
  /// removes them.
  public subscript(name: String) -> String? {
    get { fields.first { $0.isNamed(name) }?.value }
    set {
      let place = fields.firstIndex { $0.isNamed(name) }
      fields.removeAll { $0.isNamed(name) }
      guard let newValue else { return }
      fields.insert(HeaderField(name, newValue), at: place ?? fields.count)
    }
  }

  /// Returns all values of a name, in order.
  public func values(_ name: String) -> [String] {
    fields.lazy.filter { $0.isNamed(name) }.map(\.value)
  }

  /// Returns the elements of a list-valued field, in order.
  package func elements(_ name: String) -> [Substring] { values(name).flatMap(\.listElements) }

  /// The number in `Content-Length`, in which equal numbers count as one (RFC 9110 §8.6); `nil` if
  /// there is none, or if the values are no numbers or differ.
  package var contentLength: Int? {
    let lengths = elements("Content-Length").map { text in
      text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
    }
    return lengths.allSatisfy { $0 == lengths.first } ? lengths.first ?? nil : nil
  }

  /// Whether a list-valued field contains a token, such as `close` in `Connection` (RFC 9110
  /// §5.6.1).
  public func contains(token: String, in name: String) -> Bool {
    elements(name).contains { $0.equalsIgnoringASCIICase(token) }
  }

  /// Whether a name may occur more than once. Lists of more than 16 fields are not checked and
  /// return `true`.
  package var mayRepeatNames: Bool {
    guard fields.count <= 16 else { return true }
    return fields.indices.contains { place in
      fields[..<place].contains { $0.isNamed(fields[place].name) }
    }
  }

  /// Adds a field at the end of the list.
  public mutating func append(_ name: String, _ value: String) {
    fields.append(HeaderField(name, value))
  }

  /// Removes all fields with a name.
  public mutating func remove(_ name: String) { fields.removeAll { $0.isNamed(name) } }

  /// The position of the first field.
  public var startIndex: Int { fields.startIndex }
  /// The position after the last field.
  public var endIndex: Int { fields.endIndex }
  /// Accesses the field at a position.
  public subscript(position: Int) -> HeaderField {
    get { fields[position] }
    set { fields[position] = newValue }
  }

  /// Reduces `Accept-Encoding` to the codings that can be decoded here (RFC 9110 §12.5.3), so that
  /// responses can be searched for secrets.
  ///
  /// If no acceptable coding is left, the value is `identity`. If the field is missing, none is
  /// added.
  package mutating func acceptOnlyOpenedCodings() {
    guard self["Accept-Encoding"] != nil else { return }
    let asked = askedCodings
    let opened = asked.filter { Inflate.codings.contains($0.name) }
    let isOneAccepted = opened.contains { $0.isAccepted }
    if opened.count == asked.count, isOneAccepted { return }
    self["Accept-Encoding"] =
      isOneAccepted ? opened.map { $0.member }.joined(separator: ", ") : "identity"
  }

  /// The members of `Accept-Encoding`, and whether each is accepted, that is, not `q=0` (RFC 9110
  /// §12.4.2).
  package var askedCodings: [(member: Substring, name: String, isAccepted: Bool)] {
    elements("Accept-Encoding").compactMap { member in
      let parts = member.split(separator: ";").map { $0.trimmingOptionalWhitespace().lowercased() }
      guard let name = parts.first else { return nil }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      return (member, name, weight.map { Double($0.dropFirst(2)) != 0 } ?? true)
    }
  }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
  /// Creates a list of names and values in their order; a name may repeat.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { HeaderField($0.0, $0.1) }
  }
}
