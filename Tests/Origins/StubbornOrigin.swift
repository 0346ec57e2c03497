public import Foundation

/// A live server that says to whatever comes what it was given, and then nothing more or ends the
/// connection with a reset.
public final class StubbornOrigin: Sendable {
  /// What it does when it has said its piece.
  public enum End: Sendable, Hashable { case stays, resets }

  private let listening: LoopbackPort
  /// Where it listens, at 127.0.0.1.
  public var port: Int { listening.number }

  /// Begins to listen.
  public init(_ piece: Data, _ end: End) throws {
    listening = try LoopbackPort()
    listening.accepting { client in
      Thread.detachNewThread { Self.serve(client, piece, end) }
    }
  }

  /// Closes the port; whoever asks after that is refused.
  public func stop() { listening.close() }

  private static func serve(_ client: Int32, _ piece: Data, _ end: End) {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    guard recv(client, &buffer, buffer.count, 0) > 0 else { return ignored(close(client)) }
    LoopbackPort.deliver(piece, to: client)
    switch end {
    case .stays: while recv(client, &buffer, buffer.count, 0) > 0 {}
    case .resets:
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(client, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }
    ignored(close(client))
  }

  private static func ignored(_ result: some Any) {}
}
