internal import Foundation

/// The parts of a call that all of its steps use, and its record.
struct CallContext: Sendable {
  let client: NetworkClient
  let endpoint: Endpoint
  let limits: CallLimits
  /// The engines that the call's attempts choose from.
  let engines: EngineChoice
  let trace: TraceContext?
  /// The receiver of content; `nil` if content is kept in memory.
  let receiver: (any Receiver)?
  let progress: TransferProgress?
  /// The switch that holds back the next attempt.
  let pause: CallPause?
  /// The history of the call so far; `nil` before its first event.
  let record = Locked<CallRecord?>(nil)
  private let number: Int
  private let start: Duration
  /// The file with the request's content; `nil` if the content is in the request.
  var file: URL?
  /// The call's deadline; `nil` if it has none.
  var deadline: CallDeadline?
  /// The deadline if it alone ends a wait; `nil` if it cancels the task of the call.
  var waitsUntil: CallDeadline?

  /// Creates the context of a call that begins now.
  init(
    _ client: NetworkClient,
    _ endpoint: Endpoint,
    _ receiver: (any Receiver)?,
    _ progress: TransferProgress?,
    _ pause: CallPause?
  ) {
    (self.client, self.endpoint, self.receiver) = (client, endpoint, receiver)
    (self.progress, self.pause) = (progress, pause)
    limits = endpoint.limits ?? client.settings.limits
    engines = EngineChoice(engine: endpoint.engine, shares: client.settings.engineShares)
    number = client.shared.calls.next()
    start = client.time.uptime
    trace = client.sendsTraces ? TraceContext(client.draw) : nil
  }

  /// Whether no caller waits for the response any more.
  var isGivenUp: Bool { Task.isCancelled || waitsUntil?.hasPassed ?? false }

  /// The time since the call began.
  var elapsed: Duration { client.time.uptime - start }

  /// Records an event and reports it to the observer.
  func tell(_ kind: CallEvent.Kind) {
    let event = CallEvent(
      call: number,
      elapsed: elapsed,
      environment: client.environment,
      kind: kind
    )
    record.withLock { record in
      if record == nil { record = CallRecord(event) } else { record?.hear(event) }
    }
    client.observer?.observe(event)
  }
}
