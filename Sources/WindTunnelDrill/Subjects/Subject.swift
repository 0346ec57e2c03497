package import Foundation
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
  /// Tells whether it can be reached by sockets alone: it does not use a call's session.
  var needsSockets: Bool { get }
  /// Tells whether it holds the cassette's conversations by WebSocket on a stage, which takes a
  /// library of its own.
  func holdsConversations(on stage: Stage) -> Bool
  /// Tells whether it ends each call by itself: what does not end in time it has killed.
  var endsCalls: Bool { get }
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
  package var endsCalls: Bool { false }
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

/// The result of a call, as the client told it.
package struct CallResult: Sendable {
  /// The way in which it ended; a client that cannot be asked any more is told of by who watches
  /// it.
  package var ending: Observation.CallResult
  /// The body that there is to show.
  package var body: Data?
  /// Tells whether the body is what a program printed, which need not be what it was answered.
  var isPrinted = false
  /// Tells whether there is something to show, where the body does not say.
  package var isShown: Bool?
  /// The number of requests that the client meant to send, where it says so.
  package var attempts: Int?
  /// The memory of its program, where that was looked at.
  var memory: Observation.Memory?
  /// The time that its program waited for a processor, where that was looked at.
  var processorDelay: Duration?
  /// The call in which its program sleeps without any deadline, if it hangs so.
  var sleepWithoutLimit: String?

  /// Returns a call that went well.
  package static func good(_ body: Data) -> CallResult {
    CallResult(ending: .succeeded, body: body)
  }

  /// Returns a bad one, in the client's words: a symptom's name or `status 503`.
  package static func bad(_ reason: String) -> CallResult {
    CallResult(ending: .failed(reason), body: nil)
  }

  /// Tells whether it went well and there is anything to show.
  var hasContent: Bool { isShown ?? (ending == .succeeded && body?.isEmpty == false) }

  /// Tells whether there is something to show: a body that is not empty and, where it looks like
  /// JSON, decodes.
  var showed: Bool {
    if let isShown { return isShown }
    guard ending == .succeeded, let body, let first = body.first else { return false }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return true }
    // What does not decode cannot be shown; why does not matter here.
    return (try? JSON(parsing: body, source: "")) != nil
  }
}
