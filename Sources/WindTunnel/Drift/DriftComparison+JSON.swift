extension DriftComparison {
  /// Compares two structures value by value; the order of keys and the spelling of numbers mean
  /// nothing.
  mutating func compare(_ recorded: JSON, _ live: JSON, at path: String) {
    switch (recorded, live) {
    case (.object(let there), .object(let here)):
      for member in there {
        let name = member.name.value
        let place = path + Self.step(name)
        if let value = live[name] {
          compare(member.value, value, at: place)
        } else {
          note("body \(place)", member.value.description, nil)
        }
      }
      for member in here where recorded[member.name.value] == nil {
        note("body \(path)\(Self.step(member.name.value))", nil, member.value.description)
      }
    case (.array(let there), .array(let here)):
      for (index, (one, other)) in zip(there, here).enumerated() {
        compare(one, other, at: "\(path)[\(index)]")
      }
      for (index, value) in there.enumerated().dropFirst(here.count) {
        note("body \(path)[\(index)]", value.description, nil)
      }
      for (index, value) in here.enumerated().dropFirst(there.count) {
        note("body \(path)[\(index)]", nil, value.description)
      }
    default:
      if !Self.agree(recorded, live) { note("body \(path)", "\(recorded)", "\(live)") }
    }
  }

  private static func agree(_ recorded: JSON, _ live: JSON) -> Bool {
    switch (recorded, live) {
    case (.string(let there), .string(let here)): there.value.agrees(with: here.value)
    case (.number(let there), .number(let here)):
      there == here || (Double(there) != nil && Double(there) == Double(here))
    // A redacted value may have been of any kind.
    case (.string(let there), _): there.value.agrees(with: "")
    default: recorded == live
    }
  }

  /// `.name`, or `["na me"]` where that is no plain word.
  private static func step(_ name: String) -> String {
    let isWord =
      name.first?.isNumber == false
      && name.allSatisfy {
        $0 == "_" || $0.isLetter || $0.isNumber
      }
    return isWord ? ".\(name)" : "[\"\(JSON.escaped(name))\"]"
  }
}
