/// TLS on a channel: its end of it, and what was written and waits to be sealed.
final class TLSLayer {
  package let engine: TLSEngine
  /// Tells whether the handshake has been told to be over.
  var isEstablished = false
  /// The handshake has to be over by then.
  package var timer: Reactor.Timer?
  /// The count of bytes that came within the handshake.
  var handshakeBytes = 0
  /// Tells whether the connection below has ended without the peer's saying so.
  var isInputTruncated = false
  /// The error that ended it.
  package var error: SocketError?

  private var unsealed = ByteQueue()

  /// The count of bytes that are sealed at once: a few records, so that a large body is not held
  /// twice.
  private static let pieceBytes = 64 * 1024

  package init(_ engine: TLSEngine) { self.engine = engine }

  var unsealedBytes: Int { unsealed.count }

  package func write(_ body: (inout [UInt8]) -> Void) { unsealed.write(body) }

  /// Seals at most 64 KiB of what was written, as TLS records.
  func sealPiece() {
    let count = min(unsealed.count, Self.pieceBytes)
    unsealed.peek(count) { engine.write(UnsafeRawBufferPointer($0)) }
    unsealed.skip(count)
    if unsealed.isEmpty { forget() }
  }

  /// Drops what was to be sealed, since there is no peer left to send it to.
  func forget() { unsealed.removeAll(keeping: Self.pieceBytes) }
}

extension UInt8 {
  /// The first character of a method, and of no TLS record (RFC 8446 §5.1).
  package var beginsMethod: Bool { 0x41...0x5A ~= self }
}
