public import WindTunnel

/// A name server for tests: answers by UDP and TCP (RFC 1035, RFC 7766) what a script says, and asks
/// nobody.
///
/// It binds the loopback interface. Forgotten, it stops.
public final class DNSServer: Sendable {
  /// The port, the same for both transports.
  public let port: Int
  private let loop: EventLoop

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - script: What it answers.
  ///   - seed: What all draws start from.
  ///   - port: The port; 0 for any that is free.
  ///   - idleMax: So long may a connection by TCP say nothing before it is closed (RFC 7766 §6.2.3: a
  ///     few seconds).
  ///   - observe: Told of each decision, on the server's own thread: it must be quick.
  /// - Throws: `ServerError` where the port cannot be listened at.
  public convenience init(
    _ script: DNSScript,
    seed: UInt64 = 1,
    port: Int = 0,
    idleMax: Duration = .seconds(10),
    observe: (@Sendable (DNSDecision) -> Void)? = nil
  ) async throws {
    try await self.init(script, seed, port, idleMax, nil, observe)
  }

  /// Answers at port 53 of a network, which nobody else does.
  package convenience init(
    _ script: DNSScript,
    in network: PrivateNetwork,
    observe: (@Sendable (DNSDecision) -> Void)? = nil
  ) async throws {
    guard let ports = network.takePorts() else { throw ServerError.portInUse(53) }
    try await self.init(script, 1, 53, .seconds(10), ports, observe)
  }

  private init(
    _ script: DNSScript,
    _ seed: UInt64,
    _ port: Int,
    _ idleMax: Duration,
    _ ports: (datagrams: Int32, listener: Int32)?,
    _ observe: (@Sendable (DNSDecision) -> Void)?
  ) async throws {
    guard let address = SocketAddress("127.0.0.1", port: port) else {
      throw ServerError.cannotListen("\(port) is no port; they end at 65535")
    }
    let loop = try EventLoop(name: "WindTunnel DNS")
    let responder = DNSResponder(script, seed: seed)
    do {
      self.port = try await loop.run { reactor in
        var attempts = 1
        while true {
          do throws(SocketError) {
            return try DNSService(
              at: address,
              responder,
              idleMax: idleMax,
              on: reactor,
              observe: observe,
              ports: ports
            ).port
          } catch {
            // A port that is free by UDP may be taken by TCP; then another is tried.
            guard port == 0, error.kind == .portInUse, attempts < 16 else { throw error }
            attempts += 1
          }
        }
      }
    } catch let error as SocketError {
      throw ServerError(error, port: port)
    }
    self.loop = loop
  }

  /// Listens no more, and closes every connection.
  public func stop() async { await loop.stop() }
}
