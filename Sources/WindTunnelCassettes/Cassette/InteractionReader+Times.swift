// When things came: the timing of an answer, and the messages of a WebSocket.

extension InteractionReader {
  mutating func timing(_ object: ObjectReader) throws -> Timing {
    var object = object
    let range = Self.millisecondsRange
    let first = try object.double("firstByteMilliseconds", in: range) ?? 0
    let last = try object.double("lastByteMilliseconds", in: range) ?? first
    let chunks = try object.array("chunks") ?? []
    try close(object, "timing")
    return Timing(
      firstByte: Duration(milliseconds: first),
      lastByte: Duration(milliseconds: last),
      chunks: try chunks.map { try Self.chunk($0, of: object) }
    )
  }

  private static func chunk(_ json: JSON, of object: ObjectReader) throws -> Timing.Chunk {
    guard case .array(let parts) = json, parts.count == 2, let bytes = parts[0].intValue,
      bytes >= 0, let offset = parts[1].doubleValue, millisecondsRange.contains(offset)
    else { throw object.error("chunks", "\(json) is no [bytes, milliseconds]") }
    guard chunkRange.contains(bytes) else {
      throw object.error(
        "chunks",
        "\(json) is a piece of \(bytes) bytes; at most \(chunkRange.upperBound) are played"
      )
    }
    return Timing.Chunk(bytes: bytes, offset: Duration(milliseconds: offset))
  }

  mutating func messages(_ object: inout ObjectReader) throws -> [WebSocketMessage] {
    let (source, path) = (object.source, object.place("messages"))
    return try (object.array("messages") ?? []).enumerated().map { index, json in
      var object = try ObjectReader(json, source: source, path: "\(path)[\(index)]")
      guard let sender = try object.choice("from", WebSocketMessage.Sender.self) else {
        throw object.error("from", "\"client\" or \"server\" should stand here")
      }
      let offset = try object.double("offsetMilliseconds", in: Self.millisecondsRange) ?? 0
      let body = try body(&object)
      let isText = object.take("text") != nil || object.take("json") != nil
      try close(object, "messages[\(index)]")
      return WebSocketMessage(
        from: sender,
        body?.body ?? .empty,
        isText: isText,
        offset: Duration(milliseconds: offset)
      )
    }
  }
}
