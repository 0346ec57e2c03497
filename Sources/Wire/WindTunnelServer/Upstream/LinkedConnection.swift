internal import Foundation
internal import WindTunnel

/// A client's connection on which another protocol than HTTP is spoken, and the link between the
/// client and whoever speaks with it.
///
/// What is written here reaches the client when the link has carried it, and what the client sends
/// reaches the delegate so, each in its order and the end of it behind it. Without a link all of it
/// passes at once. On the loop's thread only.
final class LinkedConnection {
  /// The other end of the link. Whoever it is holds this weakly, and the channel holds this.
  var delegate: (any ChannelDelegate)?
  private let channel: Channel
  /// The player of the link; `nil`: there is none.
  private var player: Player?
  private var queue: [Player.Action] = []
  private var isCarrying = false
  private let alarm: Alarm
  /// The bytes that are on their way to the delegate, and to the client.
  private var (up, down) = (ByteQueue(), ByteQueue())
  /// The directions in which the link takes no more for now.
  private var held: Set<Link.Way> = []
  private var wantsDrained = false
  /// Called with the first byte that goes to the client.
  private var began: (() -> Void)?

  /// The end of the way down, which goes behind all that was written.
  private var ending: Ending?
  private var hasPassedEnd = false
  /// Tells whether the delegate has been told that the client sends no more.
  private(set) var inputEnded = false
  /// The error of a client whose connection is gone, and whose last bytes are on their way.
  private var lost: SocketError?
  /// This connection, while such bytes are on their way: its channel no longer holds it.
  private var own: LinkedConnection?
  /// Tells whether the delegate wants no more for now.
  private(set) var isReadingPaused: Bool

  private enum Ending { case finish, close, reset }

  /// Takes a connection over.
  ///
  /// - Parameters:
  ///   - channel: The client's connection, which holds this until it is closed.
  ///   - down: The shaper of what goes to the client; `nil`: there is no link.
  ///   - up: The shaper of what comes from it.
  ///   - began: Called with the first byte that goes to the client.
  init(_ channel: Channel, down: Shaper? = nil, up: Shaper? = nil, began: (() -> Void)? = nil) {
    (self.channel, self.began, alarm) = (channel, began, Alarm(on: channel.reactor))
    isReadingPaused = channel.isReadingPaused
    if down != nil || up != nil {
      player = Player(Delivery([.relay]), shaper: down, up: up)
      _ = player?.next(.tick, at: .zero)
    }
    channel.delegate = self
  }

  var reactor: Reactor { channel.reactor }
  private var isMetering: Bool { player?.isMetering == true }

  // MARK: To the client

  /// Tells whether the connection is there, and no end of it has been asked for.
  var isOpen: Bool { channel.phase == .open && !isClosing }
  private var isClosing: Bool { ending == .close || ending == .reset }

  /// Tells whether a part of what was written is on the link, to a client that is there.
  var hasUnread: Bool { lost == nil && !down.isEmpty }

  /// Tells whether production should stop.
  var isCongested: Bool { channel.isCongested || held.contains(.down) }

  /// Writes bytes; after an end nothing is written.
  func write(_ bytes: UnsafeRawBufferPointer) {
    guard ending == nil, !bytes.isEmpty else { return }
    guard isMetering else { return send(bytes) }
    down.append(bytes)
    advance(.came(.down, bytes.count))
  }

  func write(_ data: Data) { data.withUnsafeBytes { write($0) } }

  /// Asks for one ``ChannelDelegate/channelDrained(_:)``; it never comes within this call.
  func notifyWhenDrained() {
    wantsDrained = true
    if !held.contains(.down) { channel.notifyWhenDrained() }
  }

  /// Sends the FIN after what was written, and goes on reading.
  func finishWriting() { end(by: .finish) }

  /// Ends in good order after what was written.
  func close() { end(by: .close) }

  /// Ends at once, with nothing of what is on its way.
  func abandon() { if own == nil { channel.abandon() } else { closed(lost) } }

  /// Ends with a reset after what was written.
  func reset() { end(by: .reset) }

  private func end(by ending: Ending) {
    guard !isClosing, self.ending != ending else { return }
    let isFirst = self.ending == nil
    self.ending = ending
    guard isMetering, !hasPassedEnd else { return passEnd(by: ending) }
    if isFirst { advance(.ended(.down)) }
  }

  private func passEnd(by ending: Ending) {
    hasPassedEnd = true
    switch ending {
    case .finish: channel.finishWriting()
    case .close: channel.close()
    case .reset: channel.reset()
    }
  }

  private func send(_ bytes: UnsafeRawBufferPointer) {
    // Nothing begins for a client that has gone.
    guard lost == nil else { return }
    began?()
    began = nil
    channel.write(bytes)
  }

  // MARK: From the client

  /// Reads no more, or reads on; what is on its way still comes.
  func pauseReading(_ pauses: Bool = true) {
    isReadingPaused = pauses
    updateReading()
  }

  func resumeReading() { pauseReading(false) }

  private func updateReading() { channel.pauseReading(isReadingPaused || held.contains(.up)) }

  /// Begins with what the client has sent behind its request, and maybe its end.
  func begin(with early: Data) {
    early.withUnsafeBytes { receive($0) }
    if channel.inputEnded { channelReachedEnd(channel) }
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
      // Whoever writes meanwhile has to know at once.
      case .hold(let way): held.insert(way)
      case .takeMore(let way): held.remove(way)
      default: queue.append(action)
      }
    }
    updateReading()
    if wantsDrained, !held.contains(.down) { channel.notifyWhenDrained() }
    carry()
  }

  /// Does what is queued. Whoever is told of bytes may write some, and those come behind.
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
      // A link without steps says nothing else.
      default: break
      }
    }
    // A link that will say nothing more brings nothing more.
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
}

extension LinkedConnection: ChannelDelegate {
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
    // The bytes before a reset are on their way yet.
    guard error?.kind == .reset, isMetering, !isClosing, !inputEnded else { return closed(error) }
    (lost, own) = (error, self)
    advance(.ended(.up))
  }
}
