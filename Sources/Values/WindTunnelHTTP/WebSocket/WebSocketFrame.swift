package import Foundation

/// A side of a WebSocket connection.
package enum WebSocketRole: Sendable, Hashable, CaseIterable {
  case client
  case server
}

/// A frame of a WebSocket connection (RFC 6455 §5.2).
package struct WebSocketFrame: Sendable, Hashable {
  /// The kinds of frames (§11.8).
  package enum Opcode: UInt8, Sendable, Hashable, CaseIterable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether this is a control frame (§5.5), which belongs to the connection rather than a
    /// message.
    package var isControl: Bool { rawValue & 0x8 != 0 }
  }

  /// Whether this is the last frame of its message.
  package var isFinal: Bool
  /// Whether the message is compressed (RFC 7692 §6), which the first reserved bit indicates.
  package var isCompressed: Bool
  /// The kind of the frame.
  package var opcode: Opcode
  /// The content without masking.
  package var payload: Data

  /// Creates a frame from its parts.
  package init(
    _ opcode: Opcode,
    _ payload: Data = Data(),
    isFinal: Bool = true,
    isCompressed: Bool = false
  ) {
    (self.opcode, self.payload) = (opcode, payload)
    (self.isFinal, self.isCompressed) = (isFinal, isCompressed)
  }

  /// The maximum content size of a control frame in bytes (§5.5).
  package static let controlBytesMax = 125

  /// Returns the frame as it is sent, with the shortest encoding of its length (§5.2).
  ///
  /// - Parameter key: The masking key, which only a client uses (§5.1). It must be new and
  ///   unpredictable for each frame (§5.3).
  /// - Returns: The bytes of the frame.
  package func encoded(masking key: UInt32?) -> Data {
    var bytes = Data(capacity: payload.count + 14)
    bytes.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
    let mark: UInt8 = key == nil ? 0 : 0x80
    switch payload.count {
    case ...125: bytes.append(mark | UInt8(payload.count))
    case ...0xFFFF:
      bytes.append(mark | 126)
      bytes.append(number: UInt16(payload.count))
    default:
      bytes.append(mark | 127)
      bytes.append(number: UInt64(payload.count))
    }
    guard let key else { return bytes + payload }
    bytes.append(number: key)
    let start = bytes.count
    bytes.append(payload)
    bytes.withUnsafeMutableBytes { all in
      WebSocketMask(key).apply(to: UnsafeMutableRawBufferPointer(rebasing: all[start...]))
    }
    return bytes
  }
}

/// The masking of a client's content (RFC 6455 §5.3), which continues from piece to piece.
package struct WebSocketMask: Sendable {
  private let key: UInt32
  private var place = 0

  /// Creates a mask that begins with the key's first byte.
  package init(_ key: UInt32) { self.key = key }

  /// Masks or unmasks the next bytes in place.
  package mutating func applyNext(to bytes: UnsafeMutableRawBufferPointer) {
    Self.apply(key, from: place, to: bytes)
    place = (place + bytes.count) & 3
  }

  func apply(to bytes: UnsafeMutableRawBufferPointer) { Self.apply(key, from: place, to: bytes) }

  private static func apply(
    _ key: UInt32,
    from place: Int,
    to bytes: UnsafeMutableRawBufferPointer
  ) {
    let turned = place == 0 ? key : key << (8 * UInt32(place)) | key >> (32 - 8 * UInt32(place))
    let wide = (UInt64(turned) << 32 | UInt64(turned)).bigEndian
    var next = 0
    while next + 8 <= bytes.count {
      let eight = bytes.loadUnaligned(fromByteOffset: next, as: UInt64.self) ^ wide
      bytes.storeBytes(of: eight, toByteOffset: next, as: UInt64.self)
      next += 8
    }
    while next < bytes.count {
      bytes[next] ^= UInt8(truncatingIfNeeded: turned >> (24 - 8 * UInt32(next & 3)))
      next += 1
    }
  }
}

extension Data {
  /// Appends a number in big-endian order.
  mutating func append(number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
