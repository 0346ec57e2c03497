/// One header field, in its original spelling.
public struct HeaderField: Sendable, Hashable {
  /// The name as it was sent; compared without regard to case.
  public var name: String
  /// The value without the white space around it.
  public var value: String

  /// Makes a field of a name and a value.
  public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

  /// Tells whether the field has a name, without regard to case (RFC 9110 §5.1).
  public func isNamed(_ other: String) -> Bool { name.equalsIgnoringASCIICase(other) }
}

/// The header fields of a message: a list that keeps order, repeats and spelling, with look-up by
/// name without regard to case.
public struct HeaderFields: Sendable, Hashable {
  private var fields: [HeaderField]

  /// Makes a list of fields in their order.
  public init(_ fields: [HeaderField] = []) { self.fields = fields }

  /// Accesses the first value of a name. Setting a value replaces all fields of the name, at the
  /// position of the first; setting `nil` removes them.
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

  /// Tells whether a list-valued field contains a token, such as `close` in `Connection` (RFC 9110
  /// §5.6.1).
  public func contains(token: String, in name: String) -> Bool {
    values(name).contains { value in
      value.split(separator: ",").contains {
        $0.trimmingOptionalWhitespace().equalsIgnoringASCIICase(token)
      }
    }
  }

  /// Tells whether a name may stand here more than once; of long lists that is not looked into.
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

  /// Removes all fields of a name.
  public mutating func remove(_ name: String) { fields.removeAll { $0.isNamed(name) } }
}

extension HeaderFields: RandomAccessCollection, MutableCollection {
  /// The position of the first field.
  public var startIndex: Int { fields.startIndex }
  /// The position after the last field.
  public var endIndex: Int { fields.endIndex }
  /// Accesses the field at a position.
  public subscript(position: Int) -> HeaderField {
    get { fields[position] }
    set { fields[position] = newValue }
  }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
  /// Makes a list of names and values in their order; a name may repeat.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { HeaderField($0.0, $0.1) }
  }
}

extension HeaderFields {
  /// Leaves of what `Accept-Encoding` asks for what can be opened here (RFC 9110 §12.5.3), so that
  /// an answer can be looked through for secrets. Where nothing is left, the content is to come as
  /// it is; where there is no such field, none is made.
  package mutating func acceptOnlyOpenedCodings() {
    let lists = values("Accept-Encoding")
    guard !lists.isEmpty else { return }
    let members = lists.flatMap { $0.split(separator: ",") }.map { $0.trimmingOptionalWhitespace() }
    let known = Inflate.codings
    let opened = members.filter { known.contains(Self.coding($0)) }
    if opened.count == members.count, opened.contains(where: Self.isAccepted) { return }
    self["Accept-Encoding"] =
      opened.contains(where: Self.isAccepted) ? opened.joined(separator: ", ") : "identity"
  }

  private static func coding(_ member: some StringProtocol) -> String {
    String(member.prefix { $0 != ";" }).trimmingOptionalWhitespace().lowercased()
  }

  /// Tells whether a member does not say `q=0` (RFC 9110 §12.4.2).
  private static func isAccepted(_ member: some StringProtocol) -> Bool {
    !member.split(separator: ";").dropFirst().contains { parameter in
      let text = parameter.trimmingOptionalWhitespace().lowercased()
      return text.hasPrefix("q=") && Double(text.dropFirst(2)) == 0
    }
  }
}
