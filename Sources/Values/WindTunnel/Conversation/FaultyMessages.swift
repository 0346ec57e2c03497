internal import Foundation

/// The messages of a server in a conversation, with their faults. Messages without a fault need not
/// be complete.
struct FaultyMessages: Sendable {
  /// A message as it is sent, and its entries in a log: one for each time that it is sent.
  struct Sent: Sendable {
    var bytes: Data
    var notes: [ConversationLog.Message]
  }

  private let faults: [ConversationFault]
  /// The number of messages that have begun.
  private(set) var count = 0
  /// The number of the last message that was delayed; 0 for none.
  private var waited = 0
  /// A message that the next message overtakes.
  private var overtaken: Sent?

  init(_ faults: [ConversationFault]) { self.faults = faults }

  /// The faults of messages that were not sent.
  var undone: [UndoneFault] {
    faults.filter { ($0.message ?? 0) > count }.map { $0.undone("\(count) messages were sent") }
  }

  /// Returns the delay of the next message; `nil` if it has none, or after it was delayed.
  mutating func waitForNext() -> Duration? {
    let number = count + 1
    guard number > waited else { return nil }
    for case .message(.late(let wait), number) in faults {
      waited = number
      return wait
    }
    return nil
  }

  /// Begins the next message, and returns the end that replaces it; `nil` if it is sent.
  mutating func begin() -> ConversationFault.ConnectionEnd? {
    count += 1
    for case .end(let ending, before: count) in faults { return ending }
    return nil
  }

  /// The faults that change the current message, for which it must be complete.
  var changes: [ConversationFault] {
    faults.filter { $0.changesMessages && $0.message == count && !$0.isLate }
  }

  /// Returns the current message as it is sent; `nil` if the next message overtakes it.
  mutating func send(
    _ data: Data,
    isText: Bool,
    as bytes: Data,
    by writer: WebSocketWriter,
    noting note: ConversationLog.Message? = nil
  ) -> Sent? {
    var sent = Sent(bytes: bytes, notes: note.map { [$0] } ?? [])
    for case .form(let form, of: count) in faults {
      sent.bytes = Self.formed(form, data, isText: isText, sent.bytes, by: writer)
    }
    var holds = false
    for case .message(let change, count) in faults {
      switch change {
      case .duplicate: sent = Sent(bytes: sent.bytes + sent.bytes, notes: sent.notes + sent.notes)
      case .drop: sent = Sent(bytes: Data(), notes: [])
      case .swap: holds = true
      case .late: break
      }
    }
    guard holds else { return sent }
    overtaken = Sent(
      bytes: (overtaken?.bytes ?? Data()) + sent.bytes,
      notes: (overtaken?.notes ?? []) + sent.notes
    )
    return nil
  }

  /// Returns the overtaken message, after the next message or if there is none.
  mutating func release() -> Sent? {
    defer { overtaken = nil }
    return overtaken
  }

  /// Returns a message in a forbidden or rare form.
  private static func formed(
    _ form: ConversationFault.Form,
    _ data: Data,
    isText: Bool,
    _ bytes: Data,
    by writer: WebSocketWriter
  ) -> Data {
    let plain = WebSocketFrame(isText ? .text : .binary, data)
    switch form {
    case .masked: return plain.encoded(masking: 0x0102_0304)
    case .reservedBit: return changed(bytes) { $0[$0.startIndex] |= 0x20 }
    case .reservedOpcode: return changed(bytes) { $0[$0.startIndex] = 0x83 }
    case .longLength: return head(of: plain, UInt64(data.count)) + data
    case .hugeLength: return head(of: plain, UInt64(Int64.max)) + data
    case .fragmentedPing:
      return WebSocketFrame(.ping, Data("pi".utf8), isFinal: false).encoded(masking: nil)
        + WebSocketFrame(.continuation, Data("ng".utf8)).encoded(masking: nil) + bytes
    case .invalidUTF8: return WebSocketFrame(.text, data + [0xFF]).encoded(masking: nil)
    case .fragmented:
      return writer.message(
        data,
        isText: isText,
        fragments: [Int](repeating: 1, count: min(data.count, WebSocketReader.framesMax))
      )
    }
  }

  private static func changed(_ bytes: Data, _ change: (inout Data) -> Void) -> Data {
    var bytes = bytes
    change(&bytes)
    return bytes
  }

  /// Returns the head of a frame whose length has eight bytes (RFC 6455 §5.2).
  private static func head(of frame: WebSocketFrame, _ length: UInt64) -> Data {
    var head = Data([0x80 | frame.opcode.rawValue, 127])
    withUnsafeBytes(of: length.bigEndian) { head.append(contentsOf: $0) }
    return head
  }
}

extension ConversationFault {
  /// Returns an undone fault, with a reason of half a sentence.
  package func undone(_ reason: String) -> UndoneFault {
    UndoneFault(.conversation(self), because: reason)
  }

  /// Whether the fault delays a message without changing it.
  fileprivate var isLate: Bool { if case .message(.late, _) = self { true } else { false } }
}

extension ConversationFault.ConnectionEnd {
  /// The close frame that the end sends, unmasked like all frames of a server (RFC 6455 §5.1);
  /// `nil` if it sends none.
  var closeFrame: WebSocketFrame? {
    switch self {
    case .reset, .close, .stall: nil
    case .frame(let code):
      WebSocketFrame(.close, withUnsafeBytes(of: UInt16(clamping: code).bigEndian) { Data($0) })
    case .oneByteFrame: WebSocketFrame(.close, Data([3]))
    }
  }
}

extension [ConversationFault] {
  /// Whether compression must be off.
  ///
  /// A compressed message may refer to all messages before it, which must then be received (RFC
  /// 7692 §7.1.1). A client must also know that messages are compressed.
  package var needPlainMessages: Bool {
    contains { $0.changesMessages || $0 == .handshake(.unaskedExtension) }
  }

  /// Returns the response to a handshake, with all its faults.
  package func broken(_ head: ResponseHead) -> ResponseHead {
    var head = head
    for case .handshake(let fault) in self {
      switch fault {
      case .wrongAccept:
        head.headers["Sec-WebSocket-Accept"] = WebSocketHandshake.accept("another key")
      case .unaskedSubprotocol: head.headers["Sec-WebSocket-Protocol"] = "x-unasked"
      case .unaskedExtension: head.headers["Sec-WebSocket-Extensions"] = "x-unasked"
      }
    }
    return head
  }
}
