internal import Foundation

extension ResponseEdit.Content {
  /// Whether the change applies to the events of a stream.
  package var isOfEvents: Bool {
    switch self {
    case .errorEvent, .retryZero, .retryNegative, .retryHuge, .retryGarbage, .missingEventIDs,
      .emptyEventIDs:
      true
    case .duplicated, .large, .empty, .invalidUTF8, .invalidJSON: false
    }
  }

  /// The value of `retry` that the client receives (WHATWG HTML §9.2.6): only digits are valid.
  private var retry: String? {
    switch self {
    case .retryZero: "0"
    case .retryNegative: "-1"
    // More than any 64-bit integer can store.
    case .retryHuge: "99999999999999999999"
    case .retryGarbage: "soon"
    default: nil
    }
  }

  /// Returns the edits to the fields of a stream of server-sent events, in the order of their
  /// offsets.
  func eventEdits(of body: Data) throws(Mutation.Misfit) -> [Edit] {
    let edits = body.withUnsafeBytes { bytes -> [Edit] in
      var edits: [Edit] = []
      if let retry {
        // The field takes effect when it is read, in any block.
        let start = EventLines(bytes).start
        edits.append(Edit(start..<start, Array("retry: \(retry)\n".utf8)))
      }
      var hasID = false
      for line in EventLines(bytes) {
        switch line.name(in: bytes) {
        case "retry":
          if let retry { edits.append(Edit(line.value, Array(retry.utf8))) }
        case "id" where hasID:
          if self == .missingEventIDs { edits.append(Edit(line.name.lowerBound..<line.end, [])) }
          if self == .emptyEventIDs { edits.append(Edit(line.value, [])) }
        case "id": hasID = true
        default: break
        }
      }
      return edits
    }
    guard !edits.isEmpty else {
      throw Mutation.Misfit("the response has no event with an id after the first")
    }
    return edits
  }
}
