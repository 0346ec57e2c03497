package import WindTunnel

/// A client under test: something that makes one call.
package protocol Subject: Sendable {
  /// The name in the report.
  var name: String { get }
  /// Does what its user did in good weather, before the first call.
  func warmUp(_ rehearsal: Rehearsal) async
  /// Makes one call and tells how it went. It must end within the call's deadline by itself; what
  /// does not is a hang.
  func run(_ call: DrillCall) async -> CallResult
  /// Whether it is a program: it can be reached by sockets alone, and ends each call by itself, so
  /// that a call that does not end in time is killed.
  var needsSockets: Bool { get }
  /// Tells whether it holds the cassette's conversations by WebSocket on a stage, which takes a
  /// library of its own.
  func holdsConversations(on stage: Stage) -> Bool
  /// Whether it sends by sockets of its own in the process that runs it, so that no session of a
  /// call leads it to the cassette.
  var hasOwnSockets: Bool { get }
  /// Whether it runs only if a command line names it.
  var runsOnlyIfNamed: Bool { get }
  /// Tells whether it is a program whose words name the file of what an app has kept.
  var namesKept: Bool { get }
  /// Returns the subject as it is before its first call: one that keeps something from call to call
  /// keeps nothing from scenario to scenario.
  func anew() -> any Subject
  /// Tells whether one that was made anew shares nothing with the one before, so that both can be
  /// in the air at once.
  var canBeMadeAnew: Bool { get }
  /// Ends what it keeps from call to call, when its last one is over.
  func close() async
}

extension Subject {
  package var needsSockets: Bool { false }
  package func holdsConversations(on stage: Stage) -> Bool { needsSockets }
  package var hasOwnSockets: Bool { false }
  package var runsOnlyIfNamed: Bool { false }
  package var namesKept: Bool { false }
  package func warmUp(_ rehearsal: Rehearsal) async {}
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
