/// TLS on a channel: its engine, and the output that is not encrypted yet.
final class TLSLayer {
  package let engine: TLSEngine
  /// Whether the end of the handshake has been processed.
  var isEstablished = false
  /// The timeout of the handshake.
  package var timer: Reactor.Timer?
  /// The number of bytes received during the handshake.
  var handshakeBytes = 0
  /// Whether the underlying connection ended without close_notify.
  var isInputTruncated = false
  /// The error that ended TLS.
  package var error: SocketError?

  private var unsealed = ByteQueue()

  /// The number of bytes that are encrypted at once: a few records, so that a large body is not
  /// stored twice.
  private static let pieceBytes = 64 * 1024

  package init(_ engine: TLSEngine) { self.engine = engine }

  var unsealedBytes: Int { unsealed.count }

  package func write(_ body: (inout [UInt8]) -> Void) { unsealed.write(body) }

  /// Encrypts at most 64 KiB of the output into TLS records.
  func sealPiece() {
    let count = min(unsealed.count, Self.pieceBytes)
    unsealed.peek(count) { engine.write(UnsafeRawBufferPointer($0)) }
    unsealed.skip(count)
    if unsealed.isEmpty { forget() }
  }

  /// Drops the output, because there is no peer to receive it.
  func forget() { unsealed.removeAll(keeping: Self.pieceBytes) }
}

extension UInt8 {
  /// Whether the byte can begin a method; no TLS record begins with such a byte (RFC 8446 §5.1).
  package var beginsMethod: Bool { 0x41...0x5A ~= self }
}
