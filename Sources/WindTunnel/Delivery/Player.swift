internal import Foundation

/// Folds a delivery and a shaper into what a courier does when.
///
/// Events go in, actions come out, nothing happens. A courier turns what it sees into events and
/// the actions into calls; it needs no `if` about faults.
public struct Player: Sendable {
  private let delivery: Delivery
  private var position = 0
  private var shaper: Shaper?
  private var arrived = Arrived()
  private let upShaper: Shaper?
  private var meter: Meter?
  private var waitsUntil: Duration?
  /// What is under way, in order of arrival.
  private var underWay: [(at: Duration, bytes: Int, action: Action)] = []
  private var underWayStart = 0
  /// What of the current payload has not been handed to the shaper.
  private var rest: Data?

  private let metersLive: Bool

  /// Starts a delivery.
  ///
  /// - Parameters:
  ///   - delivery: What is to be done.
  ///   - shaper: What the bytes to the client pass through; `nil`: nothing.
  ///   - up: What the bytes from the client pass through while both ways are passed on.
  ///   - metersLive: Whether the courier tells of every byte of a live answer, so that the shaper
  ///     can hold it back.
  public init(
    _ delivery: Delivery,
    shaper: Shaper? = nil,
    up: Shaper? = nil,
    metersLive: Bool = false
  ) {
    self.delivery = delivery
    self.shaper = shaper
    underWay.reserveCapacity(delivery.steps.count)
    upShaper = up
    self.metersLive = metersLive
  }

  /// Tells whether every step has been acted upon.
  public var isDone: Bool {
    position >= delivery.steps.count && underWayStart >= underWay.count
  }

  /// Tells whether the courier has to tell of every byte that comes to be passed on. Where it has not, it
  /// passes everything as fast as it goes.
  public var isMetering: Bool { meter != nil }

  /// What is to be done now. Moments count from any one origin and never run backwards.
  public mutating func next(_ event: Event, at now: Duration) -> [Action] {
    if case .arrived(let arrival) = event { arrived[arrival] = true }
    // What has arrived makes room for more.
    _ = shaper?.arrived(at: now)
    var wake: Duration?
    var actions: [Action] = []
    if meter != nil, underWayStart == underWay.count {
      wake = measure(event, at: now, &actions)
    }
    while meter == nil, position < delivery.steps.count {
      if let moment = take(delivery.steps[position], at: now) {
        wake = moment
        break
      }
    }
    actions.reserveCapacity(actions.count + underWay.count - underWayStart + 1)
    if let next = release(at: now, &actions) { wake = min(wake ?? next, next) }
    if underWayStart == underWay.count {
      underWay.removeAll(keepingCapacity: true)
      underWayStart = 0
    }
    if let wake, wake > now, wake < .seconds(Int64.max / 2) { actions.append(.wake(wake)) }
    return actions
  }

  private mutating func measure(
    _ event: Event,
    at now: Duration,
    _ actions: inout [Action]
  ) -> Duration? {
    let wake = meter?.next(event, at: now, &actions)
    guard let meter, meter.isCut || meter.isOver else { return wake }
    // Both ends have closed by themselves: what was to happen later does not.
    let isRelay = delivery.steps[position] != .bytes(.live)
    position = isRelay && !meter.isCut ? delivery.steps.count : position + 1
    self.meter = nil
    // What passed had the link's delay already.
    shaper = nil
    return nil
  }

  private mutating func begin(_ meter: Meter, _ action: Action, at now: Duration) -> Duration {
    self.meter = meter
    underWay.append((now, 0, action))
    return Self.never
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
    case .shakeHands(let handshake): send(.shakeHands(handshake), count: 0, at: now)
    case .bytes(.data(let data)):
      if let moment = stream(rest ?? data, at: now) { return moment }
    case .bytes(.live) where metersLive && shaper != nil:
      return begin(Meter(down: shaper), .live, at: now)
    case .bytes(.live): send(.live, count: 0, at: now)
    case .finish: send(.finish(delivery.afterwards), count: 0, at: now)
    case .closeWrite: send(.closeWrite, count: 0, at: now)
    case .close: send(.close, count: 0, at: now)
    case .reset: send(.reset, count: 0, at: now)
    case .stall: send(.stall, count: 0, at: now)
    case .fail(let symptom): send(.fail(symptom), count: 0, at: now)
    case .relay where shaper == nil && upShaper == nil: send(.relay, count: 0, at: now)
    case .relay:
      return begin(Meter(up: upShaper, down: shaper, downBytesMax: nil), .relay, at: now)
    case .relayUntil(let count):
      return begin(Meter(up: upShaper, down: shaper, downBytesMax: count), .relay, at: now)
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
    underWay.append((moment, shaper?.sentBytes ?? 0, action))
  }

  /// Says what has arrived, of bytes as far as they have, and answers when to look again.
  private mutating func release(at now: Duration, _ actions: inout [Action]) -> Duration? {
    guard underWayStart < underWay.count else { return nil }
    let arrived = shaper?.arrived(at: now) ?? 0
    while underWayStart < underWay.count {
      let (at, bytes, action) = underWay[underWayStart]
      if at > now { return at }
      if bytes > arrived {
        if case .bytes(let data) = action, data.count > bytes - arrived {
          let ready = data.count - (bytes - arrived)
          actions.append(.bytes(data.prefix(ready)))
          underWay[underWayStart].action = .bytes(data.dropFirst(ready))
        }
        return shaper?.nextMoment
      }
      actions.append(action)
      underWayStart += 1
    }
    return nil
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
