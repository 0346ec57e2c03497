// The keys of version 1, which are found without creating strings.

extension CassetteScanner {
  enum Key: String, CaseIterable {
    case request, response, failure, timing, messages, then, recordedAt
    case method, url, status, reason, headers, trailers
    case json, layout, text, base64, gzip
    case symptom
    case firstByteMilliseconds, lastByteMilliseconds, chunks
    case from, close, fragments, offsetMilliseconds, after
  }

  /// The bytes of a key, and its bit in a set of keys.
  private struct Spelling {
    var bytes: [UInt8]
    var key: Key
    var bit: UInt32
  }

  private static let spellings: [[Spelling]] = {
    let all = Key.allCases.enumerated().map { index, key in
      Spelling(bytes: Array(key.rawValue.utf8), key: key, bit: 1 << UInt32(index))
    }
    let longest = all.map(\.bytes.count).max() ?? 0
    return (0...longest).map { length in all.filter { $0.bytes.count == length } }
  }()

  /// The state of an object being read: its keys so far, and its notes.
  struct OpenObject {
    fileprivate var isEntered = false
    fileprivate var keys: UInt32 = 0
    var notes: [JSON.Member] = []
  }

  /// Moves to the value of the next key, and collects notes on the way.
  ///
  /// - Returns: The key; `nil` at the end of the object.
  mutating func nextKey(_ object: inout OpenObject) throws(Failure) -> Key? {
    while true {
      guard try goToKey(&object) else { return nil }
      let start = parser.position
      let span = try parser.skipString()
      guard !span.hasEscapes else { throw Self.unusual }
      let name = UnsafeBufferPointer(rebasing: parser.bytes[span.range])
      if name.first == UInt8(ascii: "_") {
        parser.position = start
        try note(&object)
        continue
      }
      try parser.endKey()
      guard name.count < Self.spellings.count,
        let found = Self.spellings[name.count].first(where: { $0.bytes.elementsEqual(name) }),
        object.keys & found.bit == 0
      else { throw Self.unusual }
      object.keys |= found.bit
      return found.key
    }
  }

  private mutating func goToKey(_ object: inout OpenObject) throws(Failure) -> Bool {
    if object.isEntered {
      guard try parser.goesOnInObject() else { return false }
    } else {
      guard try parser.kind() == .object else { throw Self.unusual }
      object.isEntered = true
      guard try parser.enterObject() else { return false }
    }
    try parser.beginKey()
    return true
  }

  private mutating func note(_ object: inout OpenObject) throws(Failure) {
    let name = try parser.string()
    // A combining accent after the underscore makes it a different character.
    guard name.value.hasPrefix("_"), !object.notes.contains(where: { $0.name.value == name.value })
    else { throw Self.unusual }
    try parser.endKey()
    object.notes.append(JSON.Member(name, try parser.value()))
  }
}
