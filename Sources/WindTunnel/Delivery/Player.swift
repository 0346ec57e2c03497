public import Foundation
public import Symptoms

/// Folds a delivery and a shaper into what a courier does when.
///
/// Events go in, actions come out, nothing happens. A courier turns what it sees into events and
/// the actions into calls; it needs no `if` about faults.
public struct Player: Sendable {
  /// Something that happened to the courier.
  public enum Event: Sendable, Hashable {
    /// The delivery may begin, or a moment that was asked for has come.
    case tick
    /// This has come from the client.
    case arrived(Delivery.Arrival)
  }

  /// Something for the courier to do, in order.
  public enum Action: Sendable, Hashable {
    /// Send the status line and the fields.
    case head(ResponseHead)
    /// Send bytes.
    case bytes(Data)
    /// Take over what the live origin sends.
    case live
    /// End the message; `Afterwards` says what becomes of the connection.
    case finish(Delivery.Afterwards)
    /// Send FIN and keep reading.
    case closeWrite
    /// Close once everything has been sent.
    case close
    /// Send RST once everything has been sent.
    case reset
    /// Nothing more will come.
    case stall
    /// Fail with this.
    case fail(Symptom)
    /// Pass everything both ways.
    case relay
    /// Call again at this moment.
    case wake(Duration)
  }

  private let delivery: Delivery
  private var position = 0
  private var shaper: Shaper?
  private var arrived = Arrived()
  private var waitsUntil: Duration?
  /// What is under way, in order of arrival.
  private var underWay: [(at: Duration, action: Action)] = []
  private var underWayStart = 0
  /// What of the current payload has not been handed to the shaper.
  private var rest: Data?

  /// Starts a delivery; bytes pass through the shaper, if there is one.
  public init(_ delivery: Delivery, shaper: Shaper? = nil) {
    self.delivery = delivery
    self.shaper = shaper
    underWay.reserveCapacity(delivery.steps.count)
  }

  /// Whether every step has been acted upon.
  public var isDone: Bool {
    position >= delivery.steps.count && underWayStart >= underWay.count
  }

  /// What is to be done now. Moments count from any one origin and never run backwards.
  public mutating func next(_ event: Event, at now: Duration) -> [Action] {
    if case .arrived(let arrival) = event { arrived[arrival] = true }
    var wake: Duration?
    while position < delivery.steps.count {
      if let moment = take(delivery.steps[position], at: now) {
        wake = moment
        break
      }
    }
    var actions: [Action] = []
    actions.reserveCapacity(underWay.count - underWayStart + 1)
    while underWayStart < underWay.count, underWay[underWayStart].at <= now {
      actions.append(underWay[underWayStart].action)
      underWayStart += 1
    }
    if underWayStart < underWay.count {
      let next = underWay[underWayStart].at
      wake = min(wake ?? next, next)
    } else {
      underWay.removeAll(keepingCapacity: true)
      underWayStart = 0
    }
    if let wake, wake > now, wake < .seconds(Int64.max / 2) { actions.append(.wake(wake)) }
    return actions
  }

  /// A moment that never comes: only an arrival helps.
  private static let never = Duration.seconds(Int64.max / 2)

  /// Acts on a step; a moment means that it is not over before.
  private mutating func take(_ step: Delivery.Step, at now: Duration) -> Duration? {
    switch step {
    case .await(let arrival): guard arrived[arrival] else { return Self.never }
    case .wait(let length):
      let end = waitsUntil ?? now + length
      waitsUntil = end
      guard end <= now else { return end }
      waitsUntil = nil
    case .head(let head): send(.head(head), count: Self.size(of: head), at: now)
    case .bytes(.data(let data)):
      if let moment = stream(rest ?? data, at: now) { return moment }
    case .bytes(.live): send(.live, count: 0, at: now)
    case .finish: send(.finish(delivery.afterwards), count: 0, at: now)
    case .closeWrite: send(.closeWrite, count: 0, at: now)
    case .close: send(.close, count: 0, at: now)
    case .reset: send(.reset, count: 0, at: now)
    case .stall: send(.stall, count: 0, at: now)
    case .fail(let symptom): send(.fail(symptom), count: 0, at: now)
    case .relay: send(.relay, count: 0, at: now)
    }
    position += 1
    return nil
  }

  /// Hands a payload to the shaper, slice by slice, as far as its queue has room.
  private mutating func stream(_ data: Data, at now: Duration) -> Duration? {
    rest = data
    while let left = rest, !left.isEmpty {
      let slice = left.prefix(shaper?.sliceBytes ?? left.count)
      if let shaper, shaper.room(at: now) < min(slice.count, shaper.queueBytes ?? Int.max) {
        return shaper.roomAgain(for: slice.count, at: now)
      }
      send(.bytes(slice), count: slice.count, at: now)
      rest = left.dropFirst(slice.count)
    }
    rest = nil
    return nil
  }

  private mutating func send(_ action: Action, count: Int, at now: Duration) {
    let moment = shaper?.send(count, at: now) ?? now
    underWay.append((moment, action))
  }

  /// What has come from the client so far.
  private struct Arrived: Sendable {
    private var (hello, head, end) = (false, false, false)

    subscript(_ arrival: Delivery.Arrival) -> Bool {
      get {
        switch arrival {
        case .clientHello: hello
        case .requestHead: head
        case .requestEnd: end
        }
      }
      set {
        switch arrival {
        case .clientHello: hello = newValue
        case .requestHead: head = newValue
        case .requestEnd: end = newValue
        }
      }
    }
  }

  /// About what a head takes on the wire.
  private static func size(of head: ResponseHead) -> Int {
    head.headers.reduce(19) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
  }
}
