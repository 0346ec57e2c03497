/// A JSON text without its content, or without the content of its lists. The rest keeps its
/// spelling.
package struct EmptiedJSON {
  /// The text after the change.
  let bytes: [UInt8]

  /// Removes the content of a text, or of its lists only.
  init(_ text: [UInt8], listsOnly: Bool) throws(Mutation.Misfit) {
    guard let json = JSONText(Bytes(text)) else {
      throw Mutation.Misfit("the body is not a JSON object or list")
    }
    let values = listsOnly ? Self.lists(in: json.whole, of: json) : [json.whole]
    let contents = values.map { $0.range.lowerBound + 1..<$0.range.upperBound - 1 }
      .filter { json.bytes[$0].contains { $0 > UInt8(ascii: " ") } }
    guard !contents.isEmpty else {
      throw Mutation.Misfit(
        listsOnly ? "the body has no list with an element" : "the body is already empty JSON"
      )
    }
    bytes = Array(Edit.applied(contents.map { Edit($0, []) }, to: json.bytes))
  }

  /// Returns the outermost lists of a value, in the order of the text.
  package static func lists(in value: JSONSpan, of json: JSONText) -> [JSONSpan] {
    switch value {
    case .array: [value]
    case .object: json.members(of: value).flatMap { lists(in: $0.value, of: json) }
    case .string, .number, .word: []
    }
  }
}
