/// One connection on a loop: bytes in, a queue of bytes out, and four ways to end.
///
/// What is written during one round leaves in one piece at its end. A delegate that produces much
/// stops while ``isCongested`` and asks to be told when it may go on.
final class Channel {
  enum Phase: Sendable, Hashable {
    case connecting
    case open
    /// What is queued is still sent; input is thrown away.
    case ending(Ending)
    /// The FIN is out; input is thrown away until the peer's own comes.
    case lingering
    case closed
  }

  enum Ending: Sendable, Hashable { case close, reset }

  let reactor: Reactor
  let socket: Socket
  let limits: Limits
  /// Where the connect went to; `nil` for a connection that was accepted.
  let target: SocketAddress?
  /// Kept until the channel is closed.
  var delegate: (any ChannelDelegate)?
  var phase: Phase
  /// Whether the peer has said that it sends no more.
  var inputEnded = false
  /// Whether the FIN is out.
  private(set) var outputEnded = false

  /// What seals and opens; `nil` where plain bytes travel.
  var tls: TLSLayer?
  /// What travels and was not taken by the system.
  var output = OutputQueue()
  var finishesWhenFlushed = false
  /// Tells whether what is written waits, an end of the output included.
  var isOutputHeld = false {
    didSet { if !isOutputHeld { scheduleFlush() } }
  }
  var isReadingPaused = false
  var isAwaitingReset = false
  /// The bytes that the system has taken.
  private(set) var sentBytes = 0
  /// When it took some last, by the round of the loop that it was in; `nil`: never.
  private(set) var lastSent: Moment?
  /// The bytes that came after the end had begun.
  var discardedBytes = 0
  var endTimer: Reactor.Timer?

  var watch: Watch?
  private var wantsDrained = false
  /// The system takes no more for now.
  var isBlocked = false
  private var isFlushScheduled = false
  var isInEvent = false

  /// Takes over a connected socket.
  init(
    _ socket: Socket,
    on reactor: Reactor,
    limits: Limits = .standard,
    delegate: any ChannelDelegate
  ) throws(SocketError) {
    (self.socket, self.reactor, self.limits, self.delegate) = (socket, reactor, limits, delegate)
    target = nil
    phase = .open
    socket.sendAtOnce()
    try begin(.readable)
  }

  /// Begins to connect, with a TLS engine to speak through it; the delegate is told of success or of
  /// the end.
  init(
    connectingTo address: SocketAddress,
    on reactor: Reactor,
    limits: Limits = .upstream,
    tls engine: TLSEngine? = nil,
    delegate: any ChannelDelegate
  ) throws(SocketError) {
    socket = try Socket.connecting(to: address)
    target = address
    (self.reactor, self.limits, self.delegate) = (reactor, limits, delegate)
    phase = .connecting
    tls = engine.map { TLSLayer($0) }
    socket.sendAtOnce()
    try begin(.writable)
  }

  private func begin(_ interest: Readiness) throws(SocketError) {
    do throws(SocketError) {
      watch = try Watch(socket.descriptor, interest, self, on: reactor)
    } catch {
      socket.close()
      (phase, delegate) = (.closed, nil)
      throw error
    }
  }

  // MARK: Output

  /// Bytes that the system has not taken.
  var queuedBytes: Int { output.count + (tls?.unsealedBytes ?? 0) }
  /// Whether production should stop.
  var isCongested: Bool { queuedBytes > limits.queuedBytesMax }

  /// Lets a serialiser write into the queue; after an end it is not called.
  func write(with body: (inout [UInt8]) -> Void) {
    guard phase == .open || phase == .connecting, !outputEnded, !finishesWhenFlushed else { return }
    if let tls { tls.write(body) } else { output.write(body) }
    scheduleFlush()
  }

  func write(_ bytes: some Collection<UInt8>) {
    write { $0.append(contentsOf: bytes) }
  }

  /// Asks for one ``ChannelDelegate/channelDrained(_:)``; it never comes within this call.
  func tellWhenDrained() {
    wantsDrained = true
    scheduleFlush()
  }

  func scheduleFlush() {
    guard !isInEvent, !isFlushScheduled, phase != .connecting else { return }
    isFlushScheduled = true
    reactor.flushLater(self)
  }

  /// The reactor's round ends.
  func flushRound() {
    isFlushScheduled = false
    flush()
  }

  func flush() {
    guard phase != .connecting, phase != .closed, !isOutputHeld else { return }
    while true {
      if let tls { seal(with: tls) }
      if output.isEmpty { break }
      switch output.send(to: socket) {
      case .bytes(let count): sent(count)
      case .failed(let error): return writingFailed(error)
      case .wouldBlock, .end:
        isBlocked = true
        return updateInterest()
      }
    }
    if isBlocked {
      isBlocked = false
      updateInterest()
    }
    if let tls, waitsForHandshake(tls) { return }
    if finishesWhenFlushed { finishNow() }
    if wantsDrained {
      wantsDrained = false
      delegate?.channelDrained(self)
    }
    advanceEnding()
    // The delegate wrote more: its turn comes after the other channels'.
    if queuedBytes > 0, !isInEvent { scheduleFlush() }
  }

  /// Notes that the system took bytes.
  func sent(_ count: Int) {
    sentBytes += count
    lastSent = reactor.now
  }

  private func finishNow() {
    finishesWhenFlushed = false
    if !outputEnded { socket.finishWriting() }
    outputEnded = true
  }

  // MARK: Ends

  func enter(_ next: Phase) {
    phase = next
    updateInterest()
  }

  /// Sends the FIN as soon as nothing is queued, and then says how the end goes on.
  func finishOutput() { finishNow() }

  /// Gives the descriptor back and says so.
  func closed(_ error: SocketError?) {
    guard phase != .closed else { return }
    // Who has decided to end does not hear that the peer did so, too.
    let isOwnEnd = phase != .open && phase != .connecting
    phase = .closed
    if let endTimer { reactor.cancel(endTimer) }
    output.removeAll()
    watch?.end()
    watch = nil
    socket.close()
    let delegate = delegate
    self.delegate = nil
    if let timer = tls?.timer { reactor.cancel(timer) }
    delegate?.channelClosed(self, tls?.error ?? (isOwnEnd ? nil : error))
  }
}
