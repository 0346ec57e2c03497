package import Foundation

/// A splitter of what one side of a WebSocket connection sends into its frames (RFC 6455 §5.2), as
/// the bytes come.
///
/// It holds nobody to a rule: a frame is as long as it says, and whatever else it says is the
/// receiver's affair. Of a frame it keeps no more than the head.
package struct WebSocketFrameSplitter: Sendable {
  /// The head of a frame.
  package struct Head: Sendable, Hashable {
    /// The bytes, as they came.
    package var bytes: Data
    /// The kind of the frame; `nil`: one that has no meaning.
    package var opcode: WebSocketFrame.Opcode?
    /// Tells whether the message ends with the frame.
    package var isFinal: Bool
    /// The key by which the content is masked; `nil`: it is not.
    package var maskingKey: UInt32?
    /// The length of the content in bytes.
    package fileprivate(set) var length: UInt64

    /// Tells whether the frame is one of the connection itself, and no longer than those may be
    /// (§5.5).
    package var isControl: Bool {
      opcode?.isControl == true && length <= WebSocketFrame.controlBytesMax
    }
  }

  /// A part of a frame, in the order of the bytes.
  package enum Piece {
    /// The head of a frame begins it.
    case head(Head)
    /// A part of the content, as it came; the memory is that of the bytes it was found in.
    case content(UnsafeRawBufferPointer)
    /// The frame has come whole.
    case end
  }

  /// The bytes of a head that has not come whole.
  package private(set) var begun: [UInt8] = []
  /// The bytes of the frame's content that have not come; `nil` between two frames.
  private var left: UInt64?

  /// Makes a splitter of a side that has sent nothing yet.
  package init() {}

  /// Takes the next piece from the front of the bytes; `nil` where more have to come.
  package mutating func next(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Piece? {
    if let left {
      if left == 0 {
        self.left = nil
        return .end
      }
      guard !rest.isEmpty else { return nil }
      let content = rest.prefix(Int(min(left, UInt64(rest.count))))
      rest = rest.dropFirst(content.count)
      self.left = left - UInt64(content.count)
      return .content(UnsafeRawBufferPointer(rebasing: content))
    }
    while begun.count < WebSocketFrame.headBytes(of: begun) {
      guard let byte = rest.popFirst() else { return nil }
      begun.append(byte)
    }
    let found = Head(begun)
    begun.removeAll(keepingCapacity: true)
    left = found.length
    return .head(found)
  }
}

extension WebSocketFrameSplitter.Head {
  /// Reads the bytes of a whole head.
  fileprivate init(_ head: [UInt8]) {
    bytes = Data(head)
    opcode = WebSocketFrame.Opcode(rawValue: head[0] & 0xF)
    isFinal = head[0] & 0x80 != 0
    let isMasked = head[1] & 0x80 != 0
    maskingKey = isMasked ? head.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } : nil
    let numbers = head[2...].dropLast(isMasked ? 4 : 0)
    length = numbers.isEmpty ? UInt64(head[1] & 0x7F) : numbers.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension WebSocketFrame {
  /// Returns the number of bytes that a frame's head has (§5.2), by those that have come.
  package static func headBytes(of head: [UInt8]) -> Int {
    guard head.count >= 2 else { return 2 }
    let masking = head[1] & 0x80 == 0 ? 0 : 4
    return switch head[1] & 0x7F {
    case 126: 4 + masking
    case 127: 10 + masking
    default: 2 + masking
    }
  }
}
