@_spi(WindTunnel) internal import WindTunnelCore

/// The event loops of a server, each with its open connections.
///
/// Connections are distributed over the loops in turn, and each stays on its loop. Their shared
/// state is protected by the deck's lock. So the number of loops changes no decision, only how many
/// cores are used.
struct EventLoopGroup: Sendable {
  /// One loop and its connections.
  struct Member: Sendable {
    let loop: EventLoop
    let live: LiveConnections
  }

  /// Returns the default number of threads.
  ///
  /// A server that only plays leaves half of the cores to the clients, which run on the same
  /// machine. On two cores, one loop sends 50 % more responses than two loops, which wake each
  /// other and the client in turn. A server that forwards requests or encrypts responses needs
  /// every core. More than four threads gain nothing, since they wait for the deck's lock.
  static func standardCount(cores: Int, onlyPlays: Bool) -> Int {
    min(max(1, onlyPlays ? cores / 2 : cores), 4)
  }

  let members: [Member]
  /// The number of connections on all loops.
  let open = ConnectionLimit()

  /// Starts a number of threads.
  init(loops: Int) throws(SocketError) {
    var members: [Member] = []
    for index in 0..<max(1, loops) {
      let loop = try EventLoop(name: "WindTunnel server \(index + 1)")
      members.append(Member(loop: loop, live: LiveConnections(open)))
    }
    self.members = members
  }

  /// The loop that listens.
  var listening: EventLoop { members[0].loop }

  /// Returns the number of connections with bytes that their clients have not read yet.
  func countUnread() async -> Int {
    var count = 0
    for member in members {
      // A loop that has stopped has no connections.
      count += (try? await member.loop.run { _ in member.live.unreadCount }) ?? 0
    }
    return count
  }

  /// Gives connections the time `grace` to end, closes the remaining ones, and ends the threads.
  ///
  /// Every loop stops serving new requests before the listeners are closed. So after a port is
  /// closed, no new request is served.
  func stop(grace: Duration, closePorts: @escaping @Sendable () -> Void) async {
    for member in members {
      // A loop that has stopped already has nothing to end.
      try? await member.loop.run { member.live.drain(on: $0) }
    }
    listening.execute { _ in closePorts() }
    await withTaskGroup(of: Void.self) { group in
      for member in members { group.addTask { await Self.stop(member, grace: grace) } }
    }
  }

  private static func stop(_ member: Member, grace: Duration) async {
    let ended = Promise<Void>()
    let isPosted = member.loop.execute { reactor in
      member.live.notifyWhenEmpty { ended.keep(()) }
      reactor.schedule(after: grace.inNanoseconds) { _ in ended.keep(()) }
    }
    if isPosted { await ended.value }
    // A loop that has stopped has no connections left.
    try? await member.loop.run { _ in member.live.abandon() }
    await member.loop.stop()
  }
}
