/// How an answer differs from what was agreed on.
///
/// Places are paths into the JSON text: names and indices with dots between them, as in
/// `data.items.3.price`; empty for the whole.
public enum DecodeFault: Error, Sendable, Hashable {
  /// The content is of another media type; `nil` where the answer names none.
  case contentType(String?, expected: [String])
  /// The content is no JSON text.
  case notJSON
  /// A field that has to be there is missing or null.
  case missing(String)
  /// A field holds something else than it should; in the decoder's words.
  case mismatch(String, text: String)
}

extension DecodeFault: CustomStringConvertible {
  /// One sentence for a log, without the content.
  public var description: String {
    switch self {
    case .contentType(let type, let expected):
      "The answer is \(type ?? "of no type"), and should be \(expected.joined(separator: " or "))."
    case .notJSON: "The answer is not JSON."
    case .missing(let path): "The answer lacks \"\(path)\"."
    case .mismatch(let path, let text): "The answer's \"\(path)\" does not fit: \(text)"
    }
  }
}

extension DecodeFault {
  /// Names what a decoder of the standard library threw.
  init(_ error: any Error) {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      self = .missing(Self.path(context.codingPath + [key]))
    case DecodingError.valueNotFound(_, let context):
      self = .missing(Self.path(context.codingPath))
    case DecodingError.typeMismatch(_, let context):
      self = .mismatch(Self.path(context.codingPath), text: context.debugDescription)
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      self = .mismatch(Self.path(context.codingPath), text: context.debugDescription)
    case DecodingError.dataCorrupted: self = .notJSON
    default: self = .mismatch("", text: String(describing: error))
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}
