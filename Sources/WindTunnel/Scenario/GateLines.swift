internal import Foundation

/// On which line each gate of a scenario's text stands, so that a verdict can point there.
enum GateLines {
  /// The lines in the order of the gates, counted from one; none where the text has no gates.
  static func find(in text: Data) -> [Int] {
    text.withUnsafeBytes { raw in
      let bytes = raw.assumingMemoryBound(to: UInt8.self)
      var offsets: [Int] = []
      let read = { (parser: inout JSONParser) throws(JSONParser.Failure) in
        guard try parser.kind() == .object, try parser.enterObject() else { return }
        repeat {
          try parser.beginKey()
          let key = try parser.skipString()
          try parser.endKey()
          guard parser.text(key.range) == "gates", try parser.kind() == .array else {
            try parser.skipValue()
            continue
          }
          guard try parser.enterList() else { continue }
          repeat {
            parser.skipSpace()
            offsets.append(parser.position)
            try parser.skipValue()
          } while try parser.goesOnInList()
        } while try parser.goesOnInObject()
      }
      // The text has been read by now; were it broken, somebody would have said so.
      guard case .success = JSONParser.whole(bytes, read) else { return [] }
      return offsets.map { offset in 1 + bytes[..<offset].count { $0 == UInt8(ascii: "\n") } }
    }
  }
}
