internal import Foundation

extension ResponseEdit.Content {
  /// Tells whether it is done to the events of a stream.
  package var isOfEvents: Bool {
    switch self {
    case .errorEvent, .retryZero, .retryNegative, .retryHuge, .retryGarbage, .missingEventIDs,
      .emptyEventIDs:
      true
    case .duplicated, .large, .empty, .invalidUTF8, .invalidJSON: false
    }
  }

  /// The value of `retry` that a client meets (WHATWG HTML §9.2.6): only digits count.
  private var retry: String? {
    switch self {
    case .retryZero: "0"
    case .retryNegative: "-1"
    // More than any integer of 64 bits holds.
    case .retryHuge: "99999999999999999999"
    case .retryGarbage: "soon"
    default: nil
    }
  }

  /// Returns the edits that change fields of a stream of server-sent events, in the order of their
  /// places.
  func eventEdits(of body: Data) throws(Mutation.Misfit) -> [Edit] {
    let edits = body.withUnsafeBytes { bytes -> [Edit] in
      var edits: [Edit] = []
      if let retry {
        // It counts as soon as it is read, whatever block it is in.
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
      throw Mutation.Misfit("the answer has no event with an id behind the first")
    }
    return edits
  }
}
