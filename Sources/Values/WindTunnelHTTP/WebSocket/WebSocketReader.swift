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

  /// The head of a frame.
  private struct Head {
    var isFinal: Bool
    var opcode: WebSocketFrame.Opcode
    var isCompressed: Bool
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

  private enum State {
    /// The first bytes of a frame, and how many its head has, as far as that is known.
    case head([UInt8])
    /// A frame's content, of which so many bytes have not come.
    case content(Head, left: Int, WebSocketMask?)
    case over
  }

  private let sender: WebSocketRole
  private let inflater: MessageInflater?
  private let most: Int
  private var state = State.head([])
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
      while true {
        switch state {
        case .over: return
        case .head(var head):
          while WebSocketFrame.headBytes(of: head) > head.count {
            guard let next = rest.popFirst() else {
              state = .head(head)
              return
            }
            head.append(next)
            if head.count == 2 { try check(head[0], head[1]) }
          }
          state = try begin(head)
        case .content(let head, let left, var mask):
          let piece = rest.prefix(left)
          rest = rest.dropFirst(piece.count)
          try take(UnsafeRawBufferPointer(rebasing: piece), of: head, &mask)
          state = .content(head, left: left - piece.count, mask)
          guard piece.count == left else { return }
          state = .head([])
          try end(head, tell)
        }
      }
    } catch {
      end()
      throw error
    }
  }

  /// Reads no more, and keeps nothing.
  private mutating func end() { (state, message, control) = (.over, nil, Data()) }

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

  private mutating func begin(_ bytes: [UInt8]) throws(WebSocketFailure) -> State {
    guard let opcode = WebSocketFrame.Opcode(rawValue: bytes[0] & 0xF) else { return .over }
    let isMasked = bytes[1] & 0x80 != 0
    let numbers = bytes[2...].dropLast(isMasked ? 4 : 0)
    var length = UInt64(bytes[1] & 0x7F)
    if !numbers.isEmpty {
      length = numbers.reduce(0) { $0 << 8 | UInt64($1) }
      guard length >> 63 == 0 else {
        throw .protocolError("A length has its highest bit set (RFC 6455 §5.2).")
      }
      guard length > (numbers.count == 2 ? 125 : 0xFFFF) else {
        throw .protocolError("The length \(length) has more bytes than it needs (RFC 6455 §5.2).")
      }
    }
    let head = Head(
      isFinal: bytes[0] & 0x80 != 0,
      opcode: opcode,
      isCompressed: bytes[0] & 0x40 != 0
    )
    if opcode.isControl {
      control = Data()
    } else {
      if opcode != .continuation {
        message = Message(isText: opcode == .text, isCompressed: head.isCompressed)
      }
      try note(length)
    }
    let key = isMasked ? bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } : nil
    return .content(head, left: Int(length), key.map { WebSocketMask($0) })
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

  private mutating func take(
    _ piece: UnsafeRawBufferPointer,
    of head: Head,
    _ mask: inout WebSocketMask?
  ) throws(WebSocketFailure) {
    guard !piece.isEmpty else { return }
    var plain = Data(piece)
    plain.withUnsafeMutableBytes { mask?.applyNext(to: $0) }
    if head.opcode.isControl {
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
  private mutating func end(_ head: Head, _ tell: (Event) -> Void) throws(WebSocketFailure) {
    switch head.opcode {
    case .ping: tell(.ping(control))
    case .pong: tell(.pong(control))
    case .close:
      let close = try WebSocketClose(control)
      end()
      tell(.close(close))
    case .text, .binary, .continuation:
      guard head.isFinal else { return }
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
