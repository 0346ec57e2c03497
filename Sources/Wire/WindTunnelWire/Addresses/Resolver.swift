internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// A resolver of names on its own threads, because the system's resolver blocks: up to 10 s if no
/// name server responds.
package final class Resolver: Sendable {
  package typealias Answer = Swift.Result<[SocketAddress], SocketError>

  /// The maximum number of concurrent look-ups, so that a slow one does not delay the others.
  static let threadsMax = 4
  /// The maximum number of waiting names; further ones are rejected.
  static let queueMax = 256

  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var threads = 0
  }

  private let state = Locked(State())
  private let look: @Sendable (String, Int) -> Answer

  /// Creates a resolver.
  ///
  /// - Parameter look: A function that looks up a name; it may block.
  package init(
    look: @escaping @Sendable (String, Int) -> Answer = { host, port in
      Swift.Result { () throws(SocketError) in try SocketAddress.resolve(host, port: port) }
    }
  ) {
    self.look = look
  }

  /// Looks up a name. `answered` is called on a thread of the resolver, or at once if the queue is
  /// full.
  package func resolve(_ host: String, port: Int, _ answered: @escaping @Sendable (Answer) -> Void)
  {
    let (isTaken, needsThread) = state.withLock { state in
      guard state.waiting.count < Self.queueMax else { return (false, false) }
      state.waiting.append { [look] in answered(look(host, port)) }
      guard state.threads < Self.threadsMax else { return (true, false) }
      state.threads += 1
      return (true, true)
    }
    if !isTaken { answered(.failure(SocketError(.resolve, EAI_AGAIN))) }
    guard needsThread else { return }
    let thread = Thread { [self] in while let look = next() { look() } }
    thread.name = "WindTunnel names"
    thread.start()
  }

  /// Returns the next look-up; `nil` ends the thread.
  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.threads -= 1
      return nil
    }
  }
}

/// The look-ups of one loop's connections. On the loop's thread only.
package final class LoopResolver: @unchecked Sendable {
  package typealias Post = @Sendable (@escaping @Sendable (Reactor) -> Void) -> Void

  private let resolver: Resolver
  private let post: Post
  private var waiting: [Int: (Resolver.Answer) -> Void] = [:]
  private var nextID = 0

  /// Creates a resolver. `post` sends a job from another thread to the loop.
  package init(_ resolver: Resolver, _ post: @escaping Post) {
    (self.resolver, self.post) = (resolver, post)
  }

  /// Calls `answered` with the addresses of a host on the loop: at once for an address, later for a
  /// name.
  package func resolve(_ host: String, port: Int, _ answered: @escaping (Resolver.Answer) -> Void) {
    if let address = SocketAddress(host, port: port) { return answered(.success([address])) }
    nextID += 1
    let id = nextID
    waiting[id] = answered
    resolver.resolve(host, port: port) { [self] answer in
      post { [self] _ in waiting.removeValue(forKey: id)?(answer) }
    }
  }
}
