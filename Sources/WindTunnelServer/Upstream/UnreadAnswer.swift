/// The bytes of a response that is passed on unchanged if its head is invalid.
enum UnreadAnswer {
  /// No bytes are kept.
  case none
  /// The bytes of an incomplete head.
  case head([UInt8])
  /// The head is invalid, and bytes are passed on until the connection ends.
  case passing

  /// Adds bytes of the head.
  mutating func keep(_ bytes: UnsafeRawBufferPointer) {
    if case .head(let head) = self {
      self = .head(head + bytes)
    } else {
      self = .head(Array(bytes))
    }
  }

  /// Drops the bytes of an interim response, after which `count` bytes have arrived.
  mutating func drop(allBut count: Int) {
    if case .head(let head) = self { self = .head(head.suffix(count)) }
  }
}

extension String {
  /// The sentence without its full stop.
  var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
