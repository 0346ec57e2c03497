internal import Foundation
internal import WindTunnel

/// The transport of a client's bytes in a protocol other than HTTP: a connection, or one stream.
protocol ByteCarrier: AnyObject {
  /// Kept until the carrier is closed.
  var delegate: (any ChannelDelegate)? { get set }
  /// The connection, which may have other streams.
  var channel: Channel { get }
  /// Whether bytes can be sent and received, without a pending end.
  var isOpen: Bool { get }
  var isCongested: Bool { get }
  var isReadingPaused: Bool { get }
  var inputEnded: Bool { get }

  func write(_ bytes: UnsafeRawBufferPointer)
  func notifyWhenDrained()
  func pauseReading(_ pauses: Bool)
  func finishWriting()
  func close()
  func reset()
  func abandon()
}

extension Channel: ByteCarrier {
  var channel: Channel { self }
  var isOpen: Bool { phase == .open }
}

/// A client's connection that carries a protocol other than HTTP, and the simulated link between
/// the client and its delegate.
///
/// Bytes that are written here reach the client after the link has carried them. Bytes from the
/// client reach the delegate in the same way. In each direction the order is kept and the end
/// follows all bytes. Without a link, everything passes at once. Use it on the loop's thread only.
final class LinkedConnection: ChannelDelegate {
  /// The other end of the link. It must hold this object weakly; the carrier holds this object.
  var delegate: (any ChannelDelegate)?
  private let carrier: any ByteCarrier
  /// The player of the link; `nil` if there is none.
  private var player: Player?
  private var queue: [Player.Action] = []
  private var isCarrying = false
  private let alarm: Alarm
  /// The bytes in transit to the delegate and to the client.
  private var (up, down) = (ByteQueue(), ByteQueue())
  /// The directions in which the link currently accepts no more bytes.
  private var held: Set<Link.Way> = []
  private var wantsDrained = false
  /// Called at the first byte to the client.
  private var began: (() -> Void)?

  /// The end of the direction to the client, which follows all written bytes.
  private var ending: CloseMethod?
  private var hasPassedEnd = false
  /// Whether the delegate has been informed that the client sends no more.
  private(set) var inputEnded = false
  /// The error of a client whose connection is closed while its last bytes are in transit.
  private var lost: SocketError?
  /// This object, while such bytes are in transit: its carrier no longer holds it.
  private var own: LinkedConnection?
  /// Whether the delegate currently wants no more bytes.
  private(set) var isReadingPaused: Bool

  private enum CloseMethod { case finish, close, reset }

  /// Takes over a connection.
  ///
  /// - Parameters:
  ///   - carrier: The client's connection or stream, which holds this object until it is closed.
  ///   - down: The shaper of the bytes to the client; `nil` if there is no link.
  ///   - up: The shaper of the bytes from the client.
  ///   - began: Called at the first byte to the client.
  init(
    _ carrier: any ByteCarrier,
    down: Shaper? = nil,
    up: Shaper? = nil,
    began: (() -> Void)? = nil
  ) {
    (self.carrier, self.began) = (carrier, began)
    alarm = Alarm(on: carrier.channel.reactor)
    isReadingPaused = carrier.isReadingPaused
    if down != nil || up != nil {
      player = Player(Delivery([.relay]), shaper: down, up: up)
      _ = player?.next(.tick, at: .zero)
    }
    carrier.delegate = self
  }

  private var channel: Channel { carrier.channel }
  var reactor: Reactor { channel.reactor }
  private var isMetering: Bool { player?.isMetering == true }

  // MARK: To the client

  /// Whether the connection is open, without a pending close or reset.
  var isOpen: Bool { carrier.isOpen && !isClosing }
  private var isClosing: Bool { ending == .close || ending == .reset }

  /// Whether some written bytes are still on the link, to a client that is connected.
  var hasUnread: Bool { lost == nil && !down.isEmpty }

  /// Whether the producer should pause.
  var isCongested: Bool { carrier.isCongested || held.contains(.down) }

  /// Writes bytes, unless the end has been written.
  func write(_ bytes: UnsafeRawBufferPointer) {
    guard ending == nil, !bytes.isEmpty else { return }
    guard isMetering else { return send(bytes) }
    down.append(bytes)
    advance(.came(.down, bytes.count))
  }

  func write(_ data: Data) { data.withUnsafeBytes { write($0) } }

  /// Requests one ``ChannelDelegate/channelDrained(_:)``, which never happens within this call.
  func notifyWhenDrained() {
    wantsDrained = true
    if !held.contains(.down) { carrier.notifyWhenDrained() }
  }

  /// Sends the FIN after all written bytes and continues to read.
  func finishWriting() { end(by: .finish) }

  /// Closes the connection in an orderly way after all written bytes.
  func close() { end(by: .close) }

  /// Closes the connection at once and drops the bytes in transit.
  func abandon() { if own == nil { carrier.abandon() } else { closed(lost) } }

  /// Resets the connection after all written bytes.
  func reset() { end(by: .reset) }

  private func end(by ending: CloseMethod) {
    guard !isClosing, self.ending != ending else { return }
    let isFirst = self.ending == nil
    self.ending = ending
    guard isMetering, !hasPassedEnd else { return passEnd(by: ending) }
    if isFirst { advance(.ended(.down)) }
  }

  private func passEnd(by ending: CloseMethod) {
    hasPassedEnd = true
    switch ending {
    case .finish: carrier.finishWriting()
    case .close: carrier.close()
    case .reset: carrier.reset()
    }
  }

  private func send(_ bytes: UnsafeRawBufferPointer) {
    // The client has disconnected, so its response does not begin.
    guard lost == nil else { return }
    began?()
    began = nil
    carrier.write(bytes)
  }

  // MARK: From the client

  /// Pauses or resumes reading; bytes in transit still arrive.
  func pauseReading(_ pauses: Bool = true) {
    isReadingPaused = pauses
    updateReading()
  }

  func resumeReading() { pauseReading(false) }

  private func updateReading() { carrier.pauseReading(isReadingPaused || held.contains(.up)) }

  /// Begins with the bytes, and possibly the end, that the client sent after its request.
  func begin(with early: Data) {
    early.withUnsafeBytes { receive($0) }
    if carrier.inputEnded { channelReachedEnd(channel) }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    guard !isClosing, !bytes.isEmpty else { return }
    guard isMetering else {
      delegate?.channel(channel, received: bytes)
      return
    }
    up.append(bytes)
    advance(.came(.up, bytes.count))
  }

  // MARK: On the way

  private func advance(_ event: Player.Event) {
    guard let actions = player?.next(event, at: alarm.now) else { return }
    for action in actions {
      switch action {
      // A caller that writes in the meantime must see this at once.
      case .hold(let way): held.insert(way)
      case .takeMore(let way): held.remove(way)
      default: queue.append(action)
      }
    }
    updateReading()
    if wantsDrained, !held.contains(.down) { carrier.notifyWhenDrained() }
    carry()
  }

  /// Performs the queued actions. A delegate that receives bytes may write some; these follow the
  /// queued ones.
  private func carry() {
    guard !isCarrying else { return }
    isCarrying = true
    defer { isCarrying = false }
    while !queue.isEmpty {
      switch queue.removeFirst() {
      case .pass(.down, let count): down.take(atMost: count).withUnsafeBytes { send($0) }
      case .pass(.up, let count):
        let data = up.take(atMost: count)
        if !isClosing { data.withUnsafeBytes { delegate?.channel(channel, received: $0) } }
      case .passEnd(.down): if let ending { passEnd(by: ending) }
      case .passEnd(.up): if let lost { closed(lost) } else { endInput() }
      case .wake(let moment): alarm.set(moment) { [weak self] in self?.advance(.tick) }
      // A link without steps has no other actions.
      default: break
      }
    }
    // A link without a further wake-up delivers nothing more.
    if own != nil, !alarm.isSet { closed(lost) }
  }

  private func endInput() {
    guard !isClosing, !inputEnded else { return }
    inputEnded = true
    delegate?.channelReachedEnd(channel)
  }

  private func closed(_ error: SocketError?) {
    alarm.cancel()
    let delegate = delegate
    (self.delegate, own) = (nil, nil)
    delegate?.channelClosed(channel, error)
  }

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) { receive(bytes) }

  func channelReachedEnd(_ channel: Channel) {
    if isMetering { advance(.ended(.up)) } else { endInput() }
  }

  func channelDrained(_ channel: Channel) {
    guard wantsDrained, !isCongested else { return }
    wantsDrained = false
    delegate?.channelDrained(channel)
  }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    // The bytes before a reset are still in transit.
    guard error?.kind == .reset, isMetering, !isClosing, !inputEnded else { return closed(error) }
    (lost, own) = (error, self)
    advance(.ended(.up))
  }
}
