internal import WindTunnel

/// The names that connections of a loop wait for. On the loop's thread only.
final class Lookups: @unchecked Sendable {
  typealias Post = @Sendable (@escaping @Sendable (Reactor) -> Void) -> Void

  private let resolver: Resolver
  private let post: Post
  private var waiting: [Int: (Resolver.Answer) -> Void] = [:]
  private var nextID = 0

  /// `post` is how another thread gets a job to the loop.
  init(_ resolver: Resolver, _ post: @escaping Post) {
    (self.resolver, self.post) = (resolver, post)
  }

  /// Tells the addresses of a host on the loop: at once where it is one, later where it is a name.
  func resolve(_ host: String, port: Int, _ told: @escaping (Resolver.Answer) -> Void) {
    if let address = SocketAddress(host, port: port) { return told(.success([address])) }
    nextID += 1
    let id = nextID
    waiting[id] = told
    resolver.resolve(host, port: port) { [self] answer in
      post { [self] _ in waiting.removeValue(forKey: id)?(answer) }
    }
  }
}
