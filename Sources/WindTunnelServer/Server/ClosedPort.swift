/// A port of the loopback interface at which nobody listens and nobody else can: connections to it
/// are refused for as long as this lives.
public final class ClosedPort: Sendable {
  /// The port.
  public let port: Int
  private let socket: Socket

  /// Reserves a port.
  public init() throws(ServerError) {
    do throws(SocketError) {
      let address = SocketAddress.loopback()
      socket = try Socket.bound(to: address)
      port = socket.localAddress?.port ?? 0
    } catch {
      throw ServerError(error, port: 0)
    }
  }

  deinit { socket.close() }
}
