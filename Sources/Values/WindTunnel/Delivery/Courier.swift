package import Foundation
package import WindTunnelSymptoms

/// A stage that performs the actions of a player, in order.
///
/// The loop is the same for all stages. A stage only implements each action, and does not depend on
/// the kind of fault.
package protocol Courier: AnyObject {
  /// The player and its pending actions.
  var queue: ActionQueue { get set }
  /// The time of the stage's clock; `nil` if the player receives no events.
  var now: Duration? { get }
  /// Whether the next action may be performed. Otherwise it waits for another call of ``carry()``.
  var isReady: Bool { get }
  /// Called if no action is left, the next one must wait, or the stage has ended.
  func carried()

  /// Sends the status line and the fields.
  func send(_ head: ResponseHead)
  /// Sends bytes to the client.
  func send(_ data: Data)
  /// Forwards the live origin's response.
  func forward()
  /// Ends the current message.
  func finish(_ afterwards: Delivery.Afterwards)
  /// Sends FIN and continues to read.
  func closeWrite()
  /// Closes the connection after everything has been sent.
  func close()
  /// Aborts the connection after everything has been sent.
  func reset()
  /// Sends nothing more and keeps the connection open.
  func stall()
  /// Fails with a client's error.
  func fail(_ symptom: Symptom)
  /// Performs a TLS handshake.
  func shakeHands(_ handshake: Handshake)
  /// Sends the response to a WebSocket handshake and continues with the recorded conversation.
  func converse(_ head: ResponseHead, _ faults: [ConversationFault])
  /// Connects to the live origin and relays bytes in both directions.
  func relay()
  /// Relays a number of the pending bytes in one direction.
  func pass(_ count: Int, _ way: Link.Way)
  /// Relays the end of one direction.
  func passEnd(_ way: Link.Way)
  /// Stops or resumes reading in one direction.
  func hold(_ way: Link.Way, _ isHeld: Bool)
  /// Schedules a call of ``advance(_:)`` with a tick at this time.
  func wake(at moment: Duration)
}

extension Courier {
  /// Reports an event to the player and performs the actions that are due.
  package func advance(_ event: Player.Event) {
    guard let now else { return }
    queue.add(event, at: now)
    carry()
  }

  /// Performs the pending actions while the stage is ready.
  package func carry() {
    while isReady, let action = queue.next() {
      switch action {
      case .head(let head): send(head)
      case .bytes(let data): send(data)
      case .live: forward()
      case .finish(let afterwards): finish(afterwards)
      case .closeWrite: closeWrite()
      case .close: close()
      case .reset: reset()
      case .stall: stall()
      case .fail(let symptom): fail(symptom)
      case .shakeHands(let handshake): shakeHands(handshake)
      case .converse(let head, let faults): converse(head, faults)
      case .relay: relay()
      case .pass(let way, let count): pass(count, way)
      case .passEnd(let way): passEnd(way)
      case .hold(let way): hold(way, true)
      case .takeMore(let way): hold(way, false)
      case .wake(let moment): wake(at: moment)
      }
    }
    carried()
  }
}

/// A player and its pending actions.
package struct ActionQueue: Sendable {
  private var player: Player?
  private var actions: [Player.Action] = []
  /// The number of actions that have been performed.
  private var performed = 0

  /// Creates the queue of a player; without a player it stays empty.
  package init(_ player: Player? = nil) { self.player = player }

  /// Whether the player meters the relayed bytes (``Player/isMetering``).
  package var isMetering: Bool { player?.isMetering == true }
  /// Whether no action is pending.
  package var isEmpty: Bool { performed == actions.count }
  /// Whether every step has been performed.
  package var isDone: Bool { isEmpty && player?.isDone == true }
  /// The next action; `nil` if none is pending.
  package var first: Player.Action? { isEmpty ? nil : actions[performed] }

  /// Reports an event to the player and adds the actions that are due.
  package mutating func add(_ event: Player.Event, at now: Duration) {
    guard let due = player?.next(event, at: now) else { return }
    if isEmpty { (actions, performed) = (due, 0) } else { actions += due }
  }

  /// Removes and returns the next action.
  package mutating func next() -> Player.Action? {
    guard let first else { return nil }
    performed += 1
    return first
  }

  /// Puts an action before all others, in place of the last removed one.
  package mutating func putBack(_ action: Player.Action) {
    precondition(performed > 0, "no action was removed")
    performed -= 1
    actions[performed] = action
  }

  /// Removes all pending actions.
  package mutating func removeAll() { (actions, performed) = ([], 0) }
}
