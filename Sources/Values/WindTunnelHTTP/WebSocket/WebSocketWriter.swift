package import Foundation

/// A writer of the messages of one side of a WebSocket connection (RFC 6455 §5).
package struct WebSocketWriter {
  private let role: WebSocketRole
  private let deflater: MessageDeflater?

  /// Creates a writer for a side that has sent nothing yet.
  ///
  /// - Parameters:
  ///   - role: The side that sends.
  ///   - deflate: The compression parameters; `nil` if messages are not compressed.
  package init(as role: WebSocketRole, _ deflate: PerMessageDeflate?) {
    self.role = role
    deflater = deflate.flatMap { MessageDeflater($0, from: role) }
  }

  /// Returns the encoded frames of a message.
  ///
  /// - Parameters:
  ///   - content: The content of the message.
  ///   - isText: Whether it is a text.
  ///   - fragments: The relative lengths of the frames; empty means one frame.
  /// - Returns: The bytes of its frames.
  package func message(_ content: Data, isText: Bool, fragments: [Int] = []) -> Data {
    let deflated = deflater?.deflated(content)
    let payload = deflated ?? content
    var bytes = Data(capacity: payload.count + 14)
    let pieces = Self.split(payload, by: fragments)
    for (index, piece) in pieces.enumerated() {
      let opcode = index > 0 ? .continuation : isText ? .text : WebSocketFrame.Opcode.binary
      bytes += frame(
        WebSocketFrame(
          opcode,
          piece,
          isFinal: index == pieces.count - 1,
          isCompressed: index == 0 && deflated != nil
        )
      )
    }
    return bytes
  }

  /// Returns an encoded frame; a client masks it with an unpredictable key (§5.3).
  package func frame(_ frame: WebSocketFrame) -> Data {
    frame.encoded(masking: role == .client ? UInt32.random(in: 0...UInt32.max) : nil)
  }

  /// Splits content into pieces with the given relative lengths. If the lengths add up to the
  /// content's length, they are used exactly.
  private static func split(_ content: Data, by lengths: [Int]) -> [Data] {
    let whole = lengths.reduce(0.0) { $0 + Double($1) }
    guard lengths.count > 1, whole > 0 else { return [content] }
    var (pieces, sum, place) = ([Data](), 0.0, content.startIndex)
    for length in lengths.dropLast() {
      sum += Double(length)
      let end = content.startIndex + Int((sum / whole * Double(content.count)).rounded())
      pieces.append(content[place..<end])
      place = end
    }
    return pieces + [content[place...]]
  }
}
