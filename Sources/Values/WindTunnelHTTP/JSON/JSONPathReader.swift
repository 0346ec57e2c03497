/// A parser of a path, step by step.
struct JSONPathReader {
  /// The maximum number of steps, the same as the maximum nesting of a text.
  static let stepsMax = 256

  private var rest: Substring.UnicodeScalarView
  private var steps: [JSONPath.Step] = []

  static func steps(_ text: String) -> [JSONPath.Step]? {
    var reader = JSONPathReader(rest: text[...].unicodeScalars)
    guard reader.rest.popFirst() == "$" else { return nil }
    while !reader.rest.isEmpty {
      guard reader.step(), reader.steps.count <= stepsMax else { return nil }
    }
    return reader.steps
  }

  /// Whether a name can use the dot notation (RFC 9535 §2.5.1.1).
  static func isShort(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, !("0"..."9" ~= first) else { return false }
    return name.unicodeScalars.allSatisfy(isShort)
  }

  private static func isShort(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: scalar.value >= 0x80
    }
  }

  static func escaped(_ name: String) -> String {
    var result = ""
    for character in name.unicodeScalars {
      if character == "'" || character == "\\" { result += "\\" }
      result.unicodeScalars.append(character)
    }
    return result
  }

  private mutating func step() -> Bool {
    switch rest.first {
    case ".":
      rest.removeFirst()
      guard rest.first == "." else { return member() }
      rest.removeFirst()
      steps.append(.descend)
      return rest.first == "[" ? bracket() : member()
    case "[": return bracket()
    default: return false
    }
  }

  private mutating func member() -> Bool {
    if rest.first == "*" {
      rest.removeFirst()
      steps.append(.any)
      return true
    }
    let name = String(rest.prefix { Self.isShort($0) })
    // A name may begin with a digit, unlike in the specification, because `$.2fa` is unambiguous.
    guard !name.isEmpty else { return false }
    rest = rest.dropFirst(name.unicodeScalars.count)
    steps.append(.name(name))
    return true
  }

  private mutating func bracket() -> Bool {
    rest.removeFirst()
    guard let first = rest.first else { return false }
    switch first {
    case "*":
      rest.removeFirst()
      steps.append(.any)
    case "'", "\"":
      guard let name = quoted(first) else { return false }
      steps.append(.name(name))
    default:
      let digits = rest.prefix { "0"..."9" ~= $0 }
      guard let index = Int(String(digits)) else { return false }
      rest = rest.dropFirst(digits.count)
      steps.append(.index(index))
    }
    return rest.popFirst() == "]"
  }

  private mutating func quoted(_ quote: Unicode.Scalar) -> String? {
    rest.removeFirst()
    var name = ""
    while let character = rest.popFirst() {
      if character == quote { return name }
      if character == "\\" {
        guard let next = rest.popFirst() else { return nil }
        name.unicodeScalars.append(next)
      } else {
        name.unicodeScalars.append(character)
      }
    }
    return nil
  }
}
