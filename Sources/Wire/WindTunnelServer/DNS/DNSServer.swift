internal import Foundation
internal import WindTunnel

/// A name server for tests, by UDP and TCP (RFC 1035, RFC 7766), which responds according to a
/// script. It forwards no questions.
///
/// ```swift
/// let server = try await DNSServer(DNSScript([DNSEntry("*.example.com", fault: .servfail)]))
/// print("nameserver 127.0.0.1, port \(server.port)")
/// await server.stop()
/// ```
///
/// The server binds the loopback interface, and stops when it is deallocated.
public final class DNSServer: Sendable {
  /// The port, which is the same for both transports.
  public let port: Int
  private let loop: EventLoop

  /// Starts a server that listens on the loopback interface.
  ///
  /// - Parameters:
  ///   - script: The script of the responses.
  ///   - seed: The seed of all random draws.
  ///   - port: The port; 0 means any free port.
  ///   - idleMax: The maximum idle time of a TCP connection (RFC 7766 §6.2.3: a few seconds).
  ///   - observe: The observer of decisions, called on the server's own thread: it must be fast.
  /// - Throws: `ServerError` if the server cannot listen on the port.
  public convenience init(
    _ script: DNSScript,
    seed: UInt64 = 1,
    port: Int = 0,
    idleMax: Duration = .seconds(10),
    observe: (@Sendable (DNSDecision) -> Void)? = nil
  ) async throws {
    try await self.init(script, seed, port, idleMax, nil, observe)
  }

  /// Starts the only name server of a private network, on port 53.
  package convenience init(
    _ script: DNSScript,
    in network: PrivateNetwork,
    observe: (@Sendable (DNSDecision) -> Void)? = nil
  ) async throws {
    guard let ports = network.claimPorts() else { throw ServerError.portInUse(53) }
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
      throw ServerError.cannotListen("\(port) is not a port; the maximum is 65535")
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
            // A free port of UDP may be in use for TCP; then another one is tried.
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

  /// Stops listening and closes all connections.
  public func stop() async { await loop.stop() }
}

/// A name server on its loop: its datagrams and its connections. On the loop's thread only.
private final class DNSService: ReadinessHandler {
  /// The maximum numbers of connected resolvers and of delayed responses.
  private static let (connectionsMax, waitingMax) = (256, 10_000)

  let port: Int
  /// The maximum idle time of a connection.
  let idleMax: Duration
  private let datagrams: Socket
  private let reactor: Reactor
  private var responder: DNSResponder
  private let observe: (@Sendable (DNSDecision) -> Void)?
  private var listener: Listener?
  private var watch: Watch?
  private var connections = 0
  private var waiting = 0

  init(
    at address: SocketAddress,
    _ responder: DNSResponder,
    idleMax: Duration,
    on reactor: Reactor,
    observe: (@Sendable (DNSDecision) -> Void)?,
    ports: (datagrams: Int32, listener: Int32)? = nil
  ) throws(SocketError) {
    (self.responder, self.observe, self.reactor) = (responder, observe, reactor)
    self.idleMax = idleMax
    datagrams =
      if let ports { Socket(descriptor: ports.datagrams) } else {
        try Socket.forDatagrams(at: address)
      }
    let bound = datagrams.localAddress ?? address
    port = bound.port
    do throws(SocketError) {
      let listening =
        if let ports { Socket(descriptor: ports.listener) } else {
          try Socket.listening(at: bound, backlog: 1024)
        }
      listener = try Listener(listening, at: bound, on: reactor) { [weak self] socket in
        if let self { receive(socket) } else { socket.close() }
      }
      watch = try Watch(datagrams.descriptor, .readable, self, on: reactor)
    } catch {
      listener?.close()
      datagrams.close()
      throw error
    }
  }

  func close() {
    listener?.close()
    guard let watch = self.watch.take() else { return }
    watch.end()
    datagrams.close()
  }

  // MARK: Questions

  func reply(to bytes: [UInt8], over transport: DNSResponder.Transport) -> DNSResponder.Reply {
    let reply = responder.reply(to: bytes, over: transport)
    if let decision = reply.decision { observe?(decision) }
    return reply
  }

  /// Runs a function after a delay; returns `false` if too many are waiting already.
  func later(_ delay: Duration, _ body: @escaping () -> Void) -> Bool {
    guard delay > .zero else {
      body()
      return true
    }
    guard waiting < Self.waitingMax else { return false }
    waiting += 1
    reactor.schedule(after: delay.inNanoseconds) { [self] _ in
      waiting -= 1
      body()
    }
    return true
  }

  private func receive(_ socket: Socket) {
    guard connections < Self.connectionsMax else { return socket.close() }
    let connection = DNSConnection(self)
    // A connection that is closed before it is served is ignored.
    guard let channel = try? Channel(socket, on: reactor, delegate: connection) else { return }
    connections += 1
    connection.wait(on: channel)
  }

  /// Counts the end of a connection.
  func left() { connections -= 1 }

  func isReady(_ readiness: Readiness) {
    // Many datagrams must leave time for the connections.
    for _ in 0..<64 {
      guard watch != nil, let (count, sender) = datagrams.receive(into: reactor.scratch) else {
        return
      }
      let reply = reply(to: Array(reactor.scratch[..<count]), over: .udp)
      guard let bytes = reply.bytes else { continue }
      // A response beyond the limit is dropped, which UDP allows.
      _ = later(reply.delay) { [self] in if watch != nil { datagrams.send(bytes, to: sender) } }
    }
  }

  func loopEnds() { close() }
}

/// One resolver's TCP connection: messages after their length of two bytes (RFC 7766 §8).
private final class DNSConnection: ChannelDelegate {
  private let service: DNSService
  private var buffer: [UInt8] = []
  private var idle: Reactor.Timer?
  /// The number of delayed responses.
  private var waiting = 0

  init(_ service: DNSService) { self.service = service }

  /// Waits for a message, for a limited time.
  func wait(on channel: Channel) {
    if let idle { channel.reactor.cancel(idle) }
    idle = channel.reactor.schedule(after: service.idleMax.inNanoseconds) {
      [weak self, weak channel] _ in
      guard let self, let channel else { return }
      if waiting > 0 { wait(on: channel) } else { channel.close() }
    }
  }

  private func answer(_ message: [UInt8], on channel: Channel) {
    let reply = service.reply(to: message, over: .tcp)
    waiting += 1
    let isTaken = service.later(reply.delay) { [self, weak channel] in
      waiting -= 1
      guard let channel else { return }
      if let bytes = reply.bytes {
        channel.write([UInt8(bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes)
      }
      if reply.closes || (channel.inputEnded && waiting == 0) { channel.close() }
    }
    if !isTaken { channel.close() }
  }

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    wait(on: channel)
    buffer.append(contentsOf: bytes)
    var place = 0
    while buffer.count - place >= 2 {
      let count = Int(buffer[place]) << 8 | Int(buffer[place + 1])
      guard buffer.count - place - 2 >= count else { break }
      answer(Array(buffer[place + 2..<place + 2 + count]), on: channel)
      place += 2 + count
    }
    buffer.removeFirst(place)
    // While a resolver does not read, no more of its questions are read.
    if channel.isCongested {
      channel.pauseReading()
      channel.notifyWhenDrained()
    }
  }

  func channelDrained(_ channel: Channel) { channel.resumeReading() }

  func channelReachedEnd(_ channel: Channel) { if waiting == 0 { channel.close() } }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    if let idle { channel.reactor.cancel(idle) }
    service.left()
  }
}

extension Socket {
  /// Creates a non-blocking UDP socket that is bound to an address.
  static func forDatagrams(at address: SocketAddress) throws(SocketError) -> Socket {
    let socket = Socket(descriptor: Platform.datagramSocket(address.family))
    guard socket.descriptor >= 0 else { throw SocketError(.listen, errno, address) }
    let isBound = address.withSystem { bind(socket.descriptor, $0, $1) } == 0
    try socket.closeUnless(isBound, .listen, address)
    return socket
  }

  /// Returns the length of the next datagram and its sender; `nil` if there is none. A datagram
  /// longer than the buffer is truncated.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, from: SocketAddress)? {
    var count = -1
    let sender = SocketAddress.asked { address, length in
      repeat {
        count = recvfrom(descriptor, buffer.baseAddress, buffer.count, 0, address, length)
      } while count < 0 && errno == EINTR
      return count < 0 ? -1 : 0
    }
    guard count >= 0, let sender else { return nil }
    return (count, sender)
  }

  /// Sends a datagram. Errors are ignored, because UDP is unreliable.
  func send(_ bytes: [UInt8], to address: SocketAddress) {
    address.withSystem { system, length in
      _ = sendto(descriptor, bytes, bytes.count, Platform.writeFlags, system, length)
    }
  }
}
