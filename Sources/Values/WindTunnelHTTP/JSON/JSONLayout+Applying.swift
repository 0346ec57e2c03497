extension JSON.Layout {
  /// Returns the bytes of a JSON text in this layout, with every spelling kept.
  ///
  /// The result is the same as after parsing and writing, but no values are built. The text must be
  /// one valid JSON value.
  func laidOut(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var writer = JSONWriter(spacing: spacing)
    writer.bytes.reserveCapacity(text.count)
    var place = 0
    var level = 0
    while place < text.count {
      let byte = text[place]
      switch byte {
      case UInt8(ascii: "\""):
        let end = text.endOfJSONString(from: place)
        writer.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[place..<end]))
        place = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        writer.bytes.append(byte)
        let next = Self.next(after: place, in: text)
        if next < text.count, text[next] == byte + 2 {
          writer.bytes.append(text[next])
          place = next
        } else {
          level += 1
          writer.newLine(level)
        }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        level -= 1
        writer.newLine(level)
        writer.bytes.append(byte)
      case UInt8(ascii: ","):
        writer.bytes.append(byte)
        if spacing == .spaced { writer.bytes.append(0x20) }
        writer.newLine(level)
      case UInt8(ascii: ":"):
        writer.bytes.append(byte)
        if spacing != .compact { writer.bytes.append(0x20) }
      case 0...0x20: break
      default: writer.bytes.append(byte)
      }
      place += 1
    }
    if endsWithNewline { writer.bytes.append(UInt8(ascii: "\n")) }
    return writer.bytes
  }

  private static func next(after place: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
    var next = place + 1
    while next < text.count, text[next] <= 0x20 { next += 1 }
    return next
  }
}
