@_spi(WindTunnel) internal import WindTunnelCore

/// The event loops of a server, each with the connections that are open on it.
///
/// Connections are dealt to the loops in turn and stay where they are. What they share is behind
/// the deck's lock, so how many loops there are changes no decision, only how many cores are used.
struct EventLoopGroup: Sendable {
  /// One loop and its connections.
  struct Member: Sendable {
    let loop: EventLoop
    let live: LiveConnections
  }

  /// Returns the number of threads that serve unless it is set.
  ///
  /// A server that only plays leaves half of the cores to the clients, which are on this machine,
  /// too: on two cores one loop answers half as many requests again as two, for two wake each other
  /// and the client up by turns. Who passes requests on or seals answers has more to do, and takes
  /// every core. More than four gain nothing, since they wait for the deck's lock.
  static func standardCount(cores: Int, onlyPlays: Bool) -> Int {
    min(max(1, onlyPlays ? cores / 2 : cores), 4)
  }

  let members: [Member]
  /// The number of connections on all of them.
  let open = ConnectionLimit()

  /// Starts so many threads.
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

  /// Counts the connections whose clients have not read all that was said to them.
  func countUnread() async -> Int {
    var count = 0
    for member in members {
      // A loop that has stopped has no connections.
      count += (try? await member.loop.run { _ in member.live.unreadCount }) ?? 0
    }
    return count
  }

  /// Lets every connection end within `grace`, then closes what is left and ends the threads.
  ///
  /// Every loop has begun to end before the listeners are closed: whoever sees a port closed may be
  /// sure that nothing new is begun.
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
    // A loop that has stopped already has nothing left.
    try? await member.loop.run { _ in member.live.abandon() }
    await member.loop.stop()
  }
}
