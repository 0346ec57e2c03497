/// What a request's fields must be like (RFC 9110 §5); names are compared without regard to case.
public enum HeaderCondition: Sendable, Hashable {
  /// A field of this name is there.
  case present(String)
  /// One of the fields of this name has this value, to the letter.
  case equal(String, to: String)
  /// No field of this name is there.
  case absent(String)

  /// The field's name.
  public var name: String {
    switch self {
    case .present(let name), .absent(let name), .equal(let name, _): name
    }
  }

  func holds(_ headers: HeaderFields) -> Bool {
    switch self {
    case .present(let name): headers[name] != nil
    case .equal(let name, let value): headers.values(name).contains(value)
    case .absent(let name): headers[name] == nil
    }
  }
}
