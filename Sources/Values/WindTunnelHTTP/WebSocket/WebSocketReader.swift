package import Foundation

/// A reader of what one side of a WebSocket connection sends (RFC 6455 §5), in pieces as they come.
///
/// It holds the peer to each MUST of the sections on frames, fragments, control frames, closing and
/// text, and to those of permessage-deflate (RFC 7692) where that was agreed on. The first breach
/// ends it. A message takes the memory that has come of it, not what it announces.
package struct WebSocketReader: ~Copyable {
  /// The most bytes of one message, after decompression, unless another limit is given.
  package static let messageBytesMax = 64 << 20

  /// The most frames of one message, each of which is remembered.
  package static let framesMax = 1 << 16

  /// The things that a side says.
  package enum Event: Sendable, Hashable {
    /// A whole message; the lengths are those of its frames, as they were sent.
    case message(Data, isText: Bool, frames: [Int])
    /// A ping, which wants a pong with the same content (§5.5.2).
    case ping(Data)
    /// A pong, the answer to a ping or not (§5.5.3).
    case pong(Data)
    /// The side's last word; what it sends behind it is not looked at (§5.5.1).
    case close(WebSocketClose)
  }

  private struct Message {
    var isText: Bool
    var isCompressed: Bool
    var payload = Data()
    var frames: [Int] = []
    /// The bytes of the frames, as they were sent.
    var sent = 0
    var check = UTF8Check()
  }

  private let sender: WebSocketRole
  private let inflater: MessageInflater?
  private let most: Int
  private var splitter = WebSocketFrameSplitter()
  /// The frame under way, and the mask of its content.
  private var head: WebSocketFrameSplitter.Head?
  private var mask: WebSocketMask?
  private var isOver = false
  private var message: Message?
  private var control = Data()

  /// Makes a reader of a side that has said nothing yet.
  ///
  /// - Parameters:
  ///   - sender: The side that sends.
  ///   - deflate: The terms of compression of its messages; `nil`: they are not compressed.
  ///   - most: The most bytes of a message.
  package init(
    from sender: WebSocketRole,
    _ deflate: PerMessageDeflate? = nil,
    most: Int = messageBytesMax
  ) {
    (self.sender, self.most) = (sender, most)
    inflater = deflate.flatMap { MessageInflater($0.terms(of: sender)) }
  }

  /// Reads the next piece, and tells what is said in it.
  ///
  /// - Throws: The breach with which the connection has to be failed (§7.1.7); what was told before
  ///   it holds.
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

  /// Reads no more, and keeps nothing.
  private mutating func end() { (isOver, message, control) = (true, nil, Data()) }

  /// Holds a frame's first two bytes against the rules.
  private func check(_ first: UInt8, _ second: UInt8) throws(WebSocketFailure) {
    guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0xF) else {
      throw .protocolError("The opcode \(first & 0xF) is reserved (RFC 6455 §5.2).")
    }
    guard first & 0x30 == 0 else {
      throw .protocolError("A reserved bit is set that nobody agreed on (RFC 6455 §5.2).")
    }
    if first & 0x40 != 0 {
      guard inflater != nil else {
        throw .protocolError("A frame is compressed, and nobody agreed on that (RFC 6455 §5.2).")
      }
      guard !opcode.isControl, opcode != .continuation else {
        throw .protocolError("Only a message's first frame may say compressed (RFC 7692 §6).")
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
      throw .protocolError("The length \(length) has more bytes than it needs (RFC 6455 §5.2).")
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

  /// Takes note of a frame of the message under way, unless it is too long.
  private mutating func note(_ length: UInt64) throws(WebSocketFailure) {
    guard let message else { return }
    // What cannot be compressed grows by five bytes a block of deflate.
    let limit = message.isCompressed ? most + min(most / 1000 + 64, Int.max - most) : most
    guard length <= UInt64(max(0, limit - message.sent)) else {
      throw .tooBig("A message has more than \(limit) bytes, which is the limit here.")
    }
    guard message.frames.count < Self.framesMax else {
      throw .tooBig("A message has more than \(Self.framesMax) frames, which is the limit here.")
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

  /// Adds content to the message under way, decompressed where it has to be; `nil`: it has ended.
  private mutating func add(_ piece: Data?) throws(WebSocketFailure) {
    guard var message else { return }
    // Nothing else holds it meanwhile, so that it is not copied.
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
      guard isText else { throw .invalidText("A text is no UTF-8 (RFC 6455 §8.1).") }
    }
    self.message = message
  }

  /// Takes note of a frame that has come whole.
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
        throw .invalidText("A text ends within a scalar of UTF-8 (RFC 6455 §8.1).")
      }
      self.message = nil
      tell(.message(message.payload, isText: message.isText, frames: message.frames))
    }
  }
}
