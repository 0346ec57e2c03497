internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// Finds addresses of names on threads of its own, since the system's resolver blocks: up to 10 s
/// where no server answers.
package final class Resolver: Sendable {
  package typealias Answer = Swift.Result<[SocketAddress], SocketError>

  /// The count of names that are looked up at once; a slow one must not hold up the others.
  static let threadsMax = 4
  /// The count of names that wait at most; further ones are refused.
  static let queueMax = 256

  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var threads = 0
  }

  private let state = Locked(State())
  private let look: @Sendable (String, Int) -> Answer

  /// - Parameter look: How a name is looked up; it may block.
  package init(
    look: @escaping @Sendable (String, Int) -> Answer = { host, port in
      Swift.Result { () throws(SocketError) in try SocketAddress.resolve(host, port: port) }
    }
  ) {
    self.look = look
  }

  /// Looks a name up and answers, on a thread of the resolver's or, where the queue is full,
  /// at once.
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

/// The names that connections of a loop wait for. On the loop's thread only.
package final class LoopResolver: @unchecked Sendable {
  package typealias Post = @Sendable (@escaping @Sendable (Reactor) -> Void) -> Void

  private let resolver: Resolver
  private let post: Post
  private var waiting: [Int: (Resolver.Answer) -> Void] = [:]
  private var nextID = 0

  /// `post` is how another thread gets a job to the loop.
  package init(_ resolver: Resolver, _ post: @escaping Post) {
    (self.resolver, self.post) = (resolver, post)
  }

  /// Tells the addresses of a host on the loop: at once where it is one, later where it is a name.
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
