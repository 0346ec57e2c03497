package import Foundation

/// An incremental splitter of the bytes from one side of a WebSocket connection into frames (RFC
/// 6455 §5.2).
///
/// It enforces no rules: a frame has the length that its head contains, and the receiver checks
/// everything else. Only the head of a frame is kept.
package struct WebSocketFrameSplitter: Sendable {
  /// The head of a frame.
  package struct Head: Sendable, Hashable {
    /// The bytes as they were received.
    package var bytes: Data
    /// The kind of the frame; `nil` if the opcode is unknown.
    package var opcode: WebSocketFrame.Opcode?
    /// Whether this is the last frame of its message.
    package var isFinal: Bool
    /// The masking key of the content; `nil` if the content is not masked.
    package var maskingKey: UInt32?
    /// The length of the content in bytes.
    package fileprivate(set) var length: UInt64

    /// Whether this is a control frame with a valid length (§5.5).
    package var isControl: Bool {
      opcode?.isControl == true && length <= WebSocketFrame.controlBytesMax
    }
  }

  /// A part of a frame, in the order of the bytes.
  package enum Piece {
    /// The head of a frame.
    case head(Head)
    /// A part of the content as it was received. It refers to the memory of the input bytes.
    case content(UnsafeRawBufferPointer)
    /// The end of a frame.
    case end
  }

  /// The bytes of an incomplete head.
  package private(set) var begun: [UInt8] = []
  /// The number of missing bytes of the frame's content; `nil` between two frames.
  private var left: UInt64?

  /// Creates a splitter for a side that has sent nothing yet.
  package init() {}

  /// Removes the next piece from the front of the bytes; returns `nil` if more bytes are needed.
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
  /// Parses the bytes of a complete head.
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
  /// Returns the size of a frame's head in bytes (§5.2), as far as the received bytes determine it.
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
