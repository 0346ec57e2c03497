// A decision is a line of the story: lane, key, ordinal and faults, with tabs between them.

extension String {
  /// Tells whether the second fields of two lines of tabs are the same; a line without has none.
  package func hasKey(of other: String) -> Bool {
    let isSame = utf8.withContiguousStorageIfAvailable { one in
      other.utf8.withContiguousStorageIfAvailable { another in
        switch (Self.second(one), Self.second(another)) {
        case (let mine?, let theirs?): one[mine].elementsEqual(another[theirs])
        case (nil, nil): true
        default: false
        }
      }
    }
    // What comes from elsewhere may be kept otherwise.
    return (isSame ?? nil) ?? (key == other.key)
  }

  private static func second(_ line: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    guard let first = line.firstIndex(of: UInt8(ascii: "\t")),
      let end = line[(first + 1)...].firstIndex(of: UInt8(ascii: "\t"))
    else { return nil }
    return first + 1..<end
  }

  /// The second field of a line of tabs.
  package var key: Substring? {
    guard let first = utf8.firstIndex(of: UInt8(ascii: "\t")) else { return nil }
    let rest = self[utf8.index(after: first)...]
    return rest.utf8.firstIndex(of: UInt8(ascii: "\t")).map { rest[..<$0] }
  }
}
