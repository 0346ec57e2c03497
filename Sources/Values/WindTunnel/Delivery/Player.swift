public import Foundation
public import WindTunnelSymptoms

/// A state machine that turns a delivery and a shaper into a courier's actions and their times.
///
/// Its inputs are events and its outputs are actions; the player itself has no effects. A courier
/// reports its observations as events and performs the actions, and needs no conditions about
/// faults.
public struct Player: Sendable {
  private let delivery: Delivery
  private var position = 0
  private var shaper: Shaper?
  private var arrived: UInt8 = 0
  private let upShaper: Shaper?
  private var meter: Meter?
  private var waitsUntil: Duration?
  /// The time at which the last wait should have ended, and from which the next one is counted.
  ///
  /// Late wake-ups therefore do not add up over many waits.
  private var waitedUntil: Duration?
  /// The actions in transit, in order of arrival.
  private var underWay: [(at: Duration, bytes: Int, action: Action)] = []
  private var underWayStart = 0
  /// The part of the current payload that the shaper has not received.
  private var rest: Data?

  private let metersLive: Bool

  /// Creates a player of a delivery.
  ///
  /// - Parameters:
  ///   - delivery: The steps to play.
  ///   - shaper: The shaper of the bytes to the client; `nil` for none.
  ///   - up: The shaper of the bytes from the client, while both directions are relayed.
  ///   - metersLive: Whether the courier reports every byte of a live response, so that the shaper
  ///     can delay it.
  public init(
    _ delivery: Delivery,
    shaper: Shaper? = nil,
    up: Shaper? = nil,
    metersLive: Bool = false
  ) {
    (self.delivery, self.shaper) = (delivery, shaper)
    underWay.reserveCapacity(delivery.steps.count)
    (upShaper, self.metersLive) = (up, metersLive)
  }

  /// Whether every step has been performed.
  public var isDone: Bool { position >= delivery.steps.count && underWayStart >= underWay.count }

  /// Whether the courier must report every byte that it relays. Otherwise it relays all bytes at
  /// full speed.
  public var isMetering: Bool { meter != nil }

  /// Returns the actions that are due after an event. Times have any common origin and never
  /// decrease.
  public mutating func next(_ event: Event, at now: Duration) -> [Action] {
    if case .arrived(let arrival) = event { arrived |= arrival.bit }
    // Bytes that have arrived free capacity for more.
    _ = shaper?.arrived(at: now)
    var wake: Duration?
    var actions: [Action] = []
    if meter != nil, underWayStart == underWay.count { wake = measure(event, at: now, &actions) }
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
    // Both ends have closed by themselves, so later steps do not happen.
    let isRelay = !delivery.steps[position].isLive
    position = isRelay && !meter.isCut ? delivery.steps.count : position + 1
    self.meter = nil
    // The relayed bytes have already had the link's delay.
    shaper = nil
    return nil
  }

  private mutating func begin(_ meter: Meter, _ action: Action, at now: Duration) -> Duration {
    self.meter = meter
    underWay.append((now, 0, action))
    return Self.never
  }

  /// A time that is never reached: only an arrival ends the wait.
  private static let never = Duration.seconds(Int64.max / 2)

  /// Performs a step; returns the time at which to continue if the step is not over.
  private mutating func take(_ step: Delivery.Step, at now: Duration) -> Duration? {
    switch step {
    case .await(let arrival):
      guard arrived & arrival.bit != 0 else { return Self.never }
      waitedUntil = nil
    case .wait(let length):
      let end = waitsUntil ?? (waitedUntil ?? now) + length
      waitsUntil = end
      guard end <= now else { return end }
      (waitsUntil, waitedUntil) = (nil, end)
    case .head(let head): send(.head(head), count: Self.size(of: head), at: now)
    case .shakeHands(let handshake): send(.shakeHands(handshake), count: 0, at: now)
    case .converse(let head, let faults):
      // The shaper of the conversation begins with this head, and belongs to the courier.
      underWay.append((now, shaper?.sentBytes ?? 0, .converse(head, faults)))
    case .bytes(.data(let data)):
      if let moment = stream(rest ?? data, at: now) { return moment }
    case .bytes(.live) where metersLive && shaper != nil,
      .converseLive where metersLive && shaper != nil:
      return begin(Meter(down: shaper), .live, at: now)
    case .bytes(.live), .converseLive: send(.live, count: 0, at: now)
    case .finish: send(.finish(delivery.afterwards), count: 0, at: now)
    case .closeWrite: send(.closeWrite, count: 0, at: now)
    case .close: send(.close, count: 0, at: now)
    case .reset: send(.reset, count: 0, at: now)
    case .stall: send(.stall, count: 0, at: now)
    case .fail(let symptom): send(.fail(symptom), count: 0, at: now)
    case .relay where shaper == nil && upShaper == nil: send(.relay, count: 0, at: now)
    case .relay: return begin(Meter(up: upShaper, down: shaper, downBytesMax: nil), .relay, at: now)
    case .relayUntil(let count):
      return begin(Meter(up: upShaper, down: shaper, downBytesMax: count), .relay, at: now)
    }
    position += 1
    return nil
  }

  /// Passes a payload to the shaper in slices, while its queue has room.
  private mutating func stream(_ data: Data, at now: Duration) -> Duration? {
    rest = data
    while let left = rest, !left.isEmpty {
      let slice = left.prefix(shaper?.sliceBytes ?? left.count)
      if let shaper, shaper.room(at: now) < min(slice.count, shaper.queueBytes ?? Int.max) {
        return shaper.timeOfRoom(for: slice.count, at: now)
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

  /// Adds the actions whose bytes have arrived, or parts of them; returns the time of the next
  /// arrival.
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

  /// The approximate size of a head on the wire.
  private static func size(of head: ResponseHead) -> Int {
    head.headers.reduce(19) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
  }

  /// An event that a courier reports to its player.
  public enum Event: Sendable, Hashable {
    /// The start of the delivery, or a time that the player requested.
    case tick
    /// A part of the request has arrived from the client.
    case arrived(Delivery.ClientEvent)
    /// A number of bytes for this direction have arrived; reported while the player meters.
    case came(Link.Way, Int)
    /// One direction has ended (FIN); reported while the player meters.
    case ended(Link.Way)
  }

  /// An action for a courier; actions are performed in order.
  public enum Action: Sendable, Hashable {
    /// Send the status line and the fields.
    case head(ResponseHead)
    /// Perform a TLS handshake now.
    case shakeHands(Handshake)
    /// Send the response to a WebSocket handshake and play the recorded conversation with these
    /// faults.
    case converse(ResponseHead, [ConversationFault])
    /// Send these bytes to the client.
    case bytes(Data)
    /// Forward the live origin's response; if the player meters, report every byte to it.
    case live
    /// End the message; `Afterwards` is the following state of the connection.
    case finish(Delivery.Afterwards)
    /// Send FIN and continue to read.
    case closeWrite
    /// Close once everything has been sent.
    case close
    /// Send RST once everything has been sent.
    case reset
    /// Send nothing more and keep the connection open.
    case stall
    /// Fail with this symptom as the client's error.
    case fail(Symptom)
    /// Connect to the live origin and relay bytes in both directions.
    ///
    /// If the player meters, report every byte to it, and relay only the number of bytes that it
    /// returns.
    case relay
    /// Relay this number of the pending bytes in one direction.
    case pass(Link.Way, Int)
    /// Relay the end of one direction; every byte before it has been relayed.
    case passEnd(Link.Way)
    /// Stop reading in one direction.
    case hold(Link.Way)
    /// Resume reading in one direction.
    case takeMore(Link.Way)
    /// Call the player at this time.
    case wake(Duration)
  }
}

extension Delivery.ClientEvent {
  /// The bit of the arrival in a set of arrivals.
  fileprivate var bit: UInt8 {
    switch self {
    case .clientHello: 1
    case .requestHead: 2
    case .requestEnd: 4
    }
  }
}

/// One direction of relayed bytes: bytes are counted when they arrive, delayed by the link, and
/// counted when they leave.
struct Passage: Sendable {
  /// The maximum number of bytes in transit before the sender must wait.
  ///
  /// A TCP receiver has such a limit, too: the largest window that Linux opens by default is 6 MiB
  /// (`tcp_rmem`).
  static let windowBytes = 1 << 20

  private let way: Link.Way
  private var shaper: Shaper
  /// The number of bytes that may still be relayed; `nil` for any number.
  private var bytesLeft: Int?
  /// The number of bytes that the shaper had received earlier.
  private let before: Int
  private var passed = 0
  private var underWayBytes = 0
  private var end: Duration?
  private var isHeld = false
  /// Whether the end has been relayed.
  private(set) var isEnded = false

  init(_ way: Link.Way, _ shaper: Shaper?, bytesMax: Int? = nil) {
    self.way = way
    self.shaper = shaper ?? Shaper(Link.Direction())
    before = self.shaper.sentBytes
    bytesLeft = bytesMax
  }

  /// Whether the maximum number of bytes has been relayed.
  var isExhausted: Bool { bytesLeft == 0 && underWayBytes == 0 }

  mutating func came(_ count: Int, at now: Duration) {
    var rest = min(count, bytesLeft ?? count)
    bytesLeft = bytesLeft.map { $0 - rest }
    underWayBytes += rest
    while rest > 0 {
      let slice = min(rest, shaper.sliceBytes)
      _ = shaper.send(slice, at: now)
      rest -= slice
    }
  }

  mutating func ended(at now: Duration) {
    if end == nil { end = shaper.send(0, at: now) }
  }

  /// Adds the actions for bytes that have arrived; returns the time of the next arrival.
  mutating func take(at now: Duration, _ actions: inout [Player.Action]) -> Duration? {
    let count = shaper.arrived(at: now) - before - passed
    if count > 0 {
      underWayBytes -= count
      passed += count
      actions.append(.pass(way, count))
    }
    if let end, end <= now, underWayBytes == 0, !isEnded {
      isEnded = true
      actions.append(.passEnd(way))
    }
    let next = underWayBytes > 0 ? shaper.nextMoment : isEnded ? nil : end
    guard let room = regulate(at: now, &actions) else { return next }
    return next.map { min($0, room) } ?? room
  }

  /// Stops the sender while the queue is full; returns the time at which there will be room.
  private mutating func regulate(at now: Duration, _ actions: inout [Player.Action]) -> Duration? {
    let isFull =
      if bytesLeft == 0 {
        // No more bytes may be relayed, so the sender waits while the last ones are in transit.
        isHeld || underWayBytes > 0
      } else {
        underWayBytes >= Self.windowBytes || (underWayBytes > 0 && shaper.room(at: now) == 0)
      }
    if isFull != isHeld {
      isHeld = isFull
      actions.append(isFull ? .hold(way) : .takeMore(way))
    }
    guard isFull, bytesLeft != 0, underWayBytes < Self.windowBytes else { return nil }
    return shaper.timeOfRoom(for: shaper.sliceBytes, at: now)
  }
}

/// Both directions of relayed bytes, until both have ended or one has reached its maximum.
private struct Meter: Sendable {
  private var up: Passage?
  private var down: Passage

  /// Creates a meter for both directions of a relay.
  init(up: Shaper?, down: Shaper?, downBytesMax: Int?) {
    self.up = Passage(.up, up)
    self.down = Passage(.down, down, bytesMax: downBytesMax)
  }

  /// Creates a meter for the bytes of a response.
  init(down: Shaper?) { self.down = Passage(.down, down) }

  /// Whether the maximum number of bytes has been relayed.
  var isCut: Bool { down.isExhausted }
  /// Whether every direction has ended.
  var isOver: Bool { down.isEnded && up?.isEnded != false }

  mutating func next(
    _ event: Player.Event,
    at now: Duration,
    _ actions: inout [Player.Action]
  ) -> Duration? {
    switch event {
    case .came(.up, let count): up?.came(count, at: now)
    case .came(.down, let count): down.came(count, at: now)
    case .ended(.up): up?.ended(at: now)
    case .ended(.down): down.ended(at: now)
    case .tick, .arrived: break
    }
    let up = up?.take(at: now, &actions)
    guard let down = down.take(at: now, &actions) else { return up }
    return up.map { min($0, down) } ?? down
  }
}
