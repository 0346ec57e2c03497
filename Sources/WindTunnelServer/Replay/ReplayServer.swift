internal import Dispatch
internal import Foundation
public import WindTunnel

/// Plays a deck on real sockets, and records from a real server where it has an upstream.
///
/// One thread serves every connection. It binds the loopback interface unless told otherwise.
public final class ReplayServer: Sendable {
  /// What can be set.
  public struct Options: Sendable {
    /// The address to listen at, as a literal.
    public var host = "127.0.0.1"
    /// The port; 0 for any that is free.
    public var port = 0
    /// Whether every answer ends its connection, so that each attempt of a client starts on its own.
    public var closesConnections = false
    /// Where a recording deck's requests go.
    public var upstream: Upstream?
    /// The origin that stands on the tape in place of the upstream's; `nil`: the upstream's own.
    public var recordedOrigin: RequestURL?
    /// What a peer may take of the server.
    var limits = Limits.standard

    /// The defaults.
    public init() {}
  }

  /// The port it listens at.
  public let port: Int

  let loop: EventLoop
  private let options: Options
  private let deck: Deck
  /// The listeners by port; each is touched on the loop only, and this table on any thread.
  private let doors = Locked<[Int: Door]>([:])
  private let live: LiveConnections

  /// Starts listening.
  public init(_ deck: Deck, _ options: Options = Options()) async throws {
    self.deck = deck
    self.options = options
    loop = try EventLoop(name: "WindTunnel server")
    live = LiveConnections()
    guard let address = SocketAddress(options.host, port: options.port) else {
      throw ServerError.cannotListen("\(options.host) is no address literal such as 127.0.0.1")
    }
    let door = try await Self.open(address, .deck, loop, deck, options, live)
    port = door.port
    doors.withLock { $0[door.port] = door }
  }

  /// Its address: `http://127.0.0.1:PORT`.
  public var url: String {
    let host = options.host == "0.0.0.0" ? "127.0.0.1" : options.host
    return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// Opens one more port whose connections all belong to a lane, for what happens before a request
  /// could name one.
  public func openDoor(lane: Lane) async throws -> Int {
    guard let address = SocketAddress(options.host, port: 0) else {
      throw ServerError.cannotListen("\(options.host) is no address literal")
    }
    let door = try await Self.open(address, lane, loop, deck, options, live)
    doors.withLock { $0[door.port] = door }
    return door.port
  }

  /// Closes a port that ``openDoor(lane:)`` opened.
  public func closeDoor(_ port: Int) {
    guard let door = doors.withLock({ $0.removeValue(forKey: port) }) else { return }
    loop.execute { _ in door.listener.close() }
  }

  /// Listens no more, lets what is in flight end within `grace`, and closes every connection.
  public func stop(grace: Duration = .seconds(5)) async {
    let doors = doors.withLock { doors in
      defer { doors = [:] }
      return doors.values.map(\.self)
    }
    let live = live
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let once = Once { continuation.resume() }
      let isPosted = loop.execute { reactor in
        for door in doors { door.listener.close() }
        live.drain(on: reactor) { once.run() }
        reactor.schedule(after: grace.inNanoseconds) { _ in once.run() }
      }
      if !isPosted { once.run() }
    }
    await loop.stop()
  }

  private static func open(
    _ address: SocketAddress,
    _ lane: Lane,
    _ loop: EventLoop,
    _ deck: Deck,
    _ options: Options,
    _ live: LiveConnections
  ) async throws -> Door {
    do {
      return try await loop.run { reactor in
        // The port is known only once it listens, and no connection comes before this job ends.
        let house = House(deck: deck, lane: lane, options: options, live: live)
        let listener = try Listener(at: address, on: reactor) { socket in
          ClientConnection.begin(socket, in: house, on: reactor)
        }
        house.port = listener.address.port
        return Door(port: listener.address.port, listener: listener)
      }
    } catch let error as SocketError {
      throw ServerError(error, port: address.port)
    }
  }
}

/// A listener as other threads hold it: they only carry it back to the loop.
private struct Door: @unchecked Sendable {
  let port: Int
  let listener: Listener
}

/// Something that happens once, whoever asks first.
private final class Once: Sendable {
  private let action: Locked<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) { self.action = Locked(action) }

  func run() {
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }
}
