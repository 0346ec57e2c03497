/// A client under test.
package protocol Subject: Sendable {
  /// The name in the report.
  var name: String { get }
  /// Performs the user's actions before the first call, without faults.
  func warmUp(_ rehearsal: WarmUp) async
  /// Runs one call and returns its result. It must end within the call's deadline by itself.
  /// Otherwise it counts as hung.
  func run(_ call: DrillCall) async -> CallResult
  /// Whether the client is a program. It can only be reached by sockets, and ends each call by
  /// itself: a call that does not end in time is killed.
  var needsSockets: Bool { get }
  /// Returns whether it holds the cassette's WebSocket conversations on a stage. This requires its
  /// own library.
  func holdsConversations(on stage: Stage) -> Bool
  /// Whether it sends by sockets of its own in the process that runs it, so that no session directs
  /// it to the cassette.
  var hasOwnSockets: Bool { get }
  /// Whether it runs only if a command line names it.
  var runsOnlyIfNamed: Bool { get }
  /// Whether it is a program whose command names the file of the kept configuration.
  var namesKept: Bool { get }
  /// Returns the client in its state before the first call. State that a client keeps between calls
  /// does not last from one scenario to the next.
  func anew() -> any Subject
  /// Whether a client that `anew` returns shares no state with the previous one, so that both can
  /// run at once.
  var canBeMadeAnew: Bool { get }
  /// Releases the state that is kept between calls, after the last call.
  func close() async
}

extension Subject {
  package var needsSockets: Bool { false }
  package func holdsConversations(on stage: Stage) -> Bool { needsSockets }
  package var hasOwnSockets: Bool { false }
  package var runsOnlyIfNamed: Bool { false }
  package var namesKept: Bool { false }
  package func warmUp(_ rehearsal: WarmUp) async {}
  package func anew() -> any Subject { self }
  package var canBeMadeAnew: Bool { false }
  package func close() async {}
}

extension PlannedClient {
  /// Creates the facts about a client.
  init(_ client: any Subject) {
    self.init(
      name: client.name,
      conversationStages: Set(Stage.allCases.filter(client.holdsConversations)),
      hasOwnSockets: client.hasOwnSockets
    )
  }
}
