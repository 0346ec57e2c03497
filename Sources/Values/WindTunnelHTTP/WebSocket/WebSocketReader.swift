package import Foundation

/// An incremental reader of the messages from one side of a WebSocket connection (RFC 6455 §5).
///
/// It enforces every MUST of the sections on frames, fragments, control frames, closing and text.
/// If permessage-deflate (RFC 7692) was agreed on, it also enforces every MUST of its sections. It
/// stops at the first violation. The memory for a message grows with its received bytes, not with
/// its announced length.
package struct WebSocketReader: ~Copyable {
  /// The default maximum size of one message in bytes, after decompression.
  package static let messageBytesMax = 64 << 20

  /// The maximum number of frames of one message. The reader stores the length of each.
  package static let framesMax = 1 << 16

  /// The events that the reader reports.
  package enum Event: Sendable, Hashable {
    /// A complete message, with the lengths of its frames as they were sent.
    case message(Data, isText: Bool, frames: [Int])
    /// A ping, which requires a pong with the same content (§5.5.2).
    case ping(Data)
    /// A pong, whether or not it follows a ping (§5.5.3).
    case pong(Data)
    /// The close frame. Later bytes from the same side are ignored (§5.5.1).
    case close(WebSocketClose)
  }

  private struct Message {
    var isText: Bool
    var isCompressed: Bool
    var payload = Data()
    var frames: [Int] = []
    /// The number of bytes of the frames, as they were sent.
    var sent = 0
    var check = UTF8Check()
  }

  private let sender: WebSocketRole
  private let inflater: MessageInflater?
  private let most: Int
  private var splitter = WebSocketFrameSplitter()
  /// The current frame and the mask of its content.
  private var head: WebSocketFrameSplitter.Head?
  private var mask: WebSocketMask?
  private var isOver = false
  private var message: Message?
  private var control = Data()

  /// Creates a reader for a side that has sent nothing yet.
  ///
  /// - Parameters:
  ///   - sender: The side that sends.
  ///   - deflate: The compression parameters of its messages; `nil` if they are not compressed.
  ///   - most: The maximum size of a message in bytes.
  package init(
    from sender: WebSocketRole,
    _ deflate: PerMessageDeflate? = nil,
    most: Int = messageBytesMax
  ) {
    (self.sender, self.most) = (sender, most)
    inflater = deflate.flatMap { MessageInflater($0.terms(of: sender)) }
  }

  /// Reads the next piece and reports its events.
  ///
  /// - Throws: The violation for which the connection has to be failed (§7.1.7). Events reported
  ///   before it remain valid.
  package mutating func read(
    _ bytes: UnsafeRawBufferPointer,
    _ tell: (Event) -> Void
  ) throws(WebSocketFailure) {
    var rest = bytes[...]
    do throws(WebSocketFailure) {
      while !isOver, let piece = splitter.next(&rest) {
        switch piece {
        case .head(let head): try begin(head)
        case .content(let content): try take(content)
        case .end: try end(tell)
        }
      }
      let begun = splitter.begun
      if !isOver, begun.count >= 2 { try check(begun[0], begun[1]) }
    } catch {
      end()
      throw error
    }
  }

  /// Stops reading and discards all data.
  private mutating func end() { (isOver, message, control) = (true, nil, Data()) }

  /// Checks a frame's first two bytes against the protocol.
  private func check(_ first: UInt8, _ second: UInt8) throws(WebSocketFailure) {
    guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0xF) else {
      throw .protocolError("The opcode \(first & 0xF) is reserved (RFC 6455 §5.2).")
    }
    guard first & 0x30 == 0 else {
      throw .protocolError("A reserved bit is set that was not negotiated (RFC 6455 §5.2).")
    }
    if first & 0x40 != 0 {
      guard inflater != nil else {
        throw .protocolError("A frame is compressed, which was not negotiated (RFC 6455 §5.2).")
      }
      guard !opcode.isControl, opcode != .continuation else {
        throw .protocolError(
          "Only a message's first frame may be marked as compressed (RFC 7692 §6)."
        )
      }
    }
    guard (second & 0x80 != 0) == (sender == .client) else {
      throw .protocolError(
        sender == .client
          ? "A client's frame is not masked (RFC 6455 §5.1)."
          : "A server's frame is masked (RFC 6455 §5.1)."
      )
    }
    if opcode.isControl {
      guard first & 0x80 != 0 else {
        throw .protocolError("A control frame is fragmented (RFC 6455 §5.5).")
      }
      guard second & 0x7F <= WebSocketFrame.controlBytesMax else {
        throw .protocolError("A control frame has more than 125 bytes (RFC 6455 §5.5).")
      }
    } else if opcode == .continuation {
      guard message != nil else {
        throw .protocolError("A continuation has nothing to continue (RFC 6455 §5.4).")
      }
    } else if message != nil {
      throw .protocolError("A message begins within another one (RFC 6455 §5.4).")
    }
  }

  private mutating func begin(
    _ head: WebSocketFrameSplitter.Head
  ) throws(WebSocketFailure) {
    try check(head.bytes[0], head.bytes[1])
    let (length, code) = (head.length, head.bytes[1] & 0x7F)
    guard length >> 63 == 0 else {
      throw .protocolError("A length has its highest bit set (RFC 6455 §5.2).")
    }
    guard code < 126 || length > (code == 126 ? 125 : 0xFFFF) else {
      throw .protocolError("The length \(length) is not minimally encoded (RFC 6455 §5.2).")
    }
    (self.head, mask) = (head, head.maskingKey.map { WebSocketMask($0) })
    if head.opcode?.isControl == true {
      control = Data()
    } else {
      if head.opcode != .continuation {
        message = Message(isText: head.opcode == .text, isCompressed: head.bytes[0] & 0x40 != 0)
      }
      try note(length)
    }
  }

  /// Records a frame of the current message; throws if the message exceeds a limit.
  private mutating func note(_ length: UInt64) throws(WebSocketFailure) {
    guard let message else { return }
    // Incompressible data grows by five bytes for each block of deflate.
    let limit = message.isCompressed ? most + min(most / 1000 + 64, Int.max - most) : most
    guard length <= UInt64(max(0, limit - message.sent)) else {
      throw .tooBig("A message has more than the maximum of \(limit) bytes.")
    }
    guard message.frames.count < Self.framesMax else {
      throw .tooBig("A message has more than the maximum of \(Self.framesMax) frames.")
    }
    self.message?.sent += Int(length)
    self.message?.frames.append(Int(length))
  }

  private mutating func take(_ piece: UnsafeRawBufferPointer) throws(WebSocketFailure) {
    var (plain, mask) = (Data(piece), mask)
    plain.withUnsafeMutableBytes { mask?.applyNext(to: $0) }
    self.mask = mask
    if head?.opcode?.isControl == true {
      control.append(plain)
    } else {
      try add(plain)
    }
  }

  /// Appends content to the current message and decompresses it if necessary; `nil` marks the end
  /// of the message.
  private mutating func add(_ piece: Data?) throws(WebSocketFailure) {
    guard var message else { return }
    // Removes the other reference to the message, so that it is not copied.
    self.message = nil
    let start = message.payload.count
    if message.isCompressed, let inflater {
      if let piece {
        try inflater.inflate(piece, into: &message.payload, most: most)
      } else {
        try inflater.end(&message.payload, most: most)
      }
    } else if let piece {
      message.payload.append(piece)
    }
    if message.isText {
      let isText = message.payload.withUnsafeBytes {
        message.check.look(at: UnsafeRawBufferPointer(rebasing: $0[start...]))
      }
      guard isText else { throw .invalidText("A text is not UTF-8 (RFC 6455 §8.1).") }
    }
    self.message = message
  }

  /// Processes the end of a frame.
  private mutating func end(_ tell: (Event) -> Void) throws(WebSocketFailure) {
    switch head?.opcode {
    case nil: break
    case .ping: tell(.ping(control))
    case .pong: tell(.pong(control))
    case .close:
      let close = try WebSocketClose(control)
      end()
      tell(.close(close))
    case .text, .binary, .continuation:
      guard head?.isFinal == true else { return }
      try add(nil)
      guard let message else { return }
      guard message.check.isWhole else {
        throw .invalidText("A text ends within a character of UTF-8 (RFC 6455 §8.1).")
      }
      self.message = nil
      tell(.message(message.payload, isText: message.isText, frames: message.frames))
    }
  }
}
