internal import WindTunnel

private let tickNanoseconds: Int64 = 100_000_000
/// The number of ticks between two events with counters, and before a silent stream sends a
/// comment.
private let (counterTicks, silentTicks) = (10, 150)
/// The maximum number of rows in one event of the initial state.
private let pictureRows = 500

/// A page's stream of events (WHATWG HTML §9.2): first the complete state, then changes ten times a
/// second.
///
/// A page that reads slowly receives fewer events with summaries. On the loop's thread only.
final class ConsoleStream<Book: ConsoleBook>: ConnectionSuccessor, ChannelDelegate {
  private let source: ConsoleBoard<Book>
  private weak var channel: Channel?
  private let ended: () -> Void
  private var cursor: ConsoleCursor
  /// The number of the last sent row of the initial state; `nil` if it was sent completely.
  private var pictured: Int? = 0
  private var ticks = 0
  private var silence = 0
  private var timer: Reactor.Timer?
  private var isOver = false

  /// Takes over the connection of an added reader.
  init(
    _ source: ConsoleBoard<Book>,
    _ hello: JSON,
    on channel: Channel,
    ended: @escaping () -> Void
  ) {
    (self.source, self.channel, self.ended) = (source, channel, ended)
    cursor = source.begin()
    var head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
    for field in ConsoleGate.fields { head += "\(field.name): \(field.value)\r\n" }
    channel.write(Array("\(head)\r\n".utf8))
    channel.write(ConsoleEvent("hello", hello).bytes)
    // The stream begins with the initial state.
    tell(source.news(after: &cursor, withCounters: true))
    advance()
    tick()
  }

  /// Sends that the tool ends, and closes the stream.
  func stop() {
    guard !isOver else { return }
    isOver = true
    tell(source.news(after: &cursor, withCounters: true))
    channel?.write(ConsoleEvent("end", [:]).bytes)
    channel?.close()
  }

  private func tick() {
    guard let channel, !isOver else { return }
    timer = channel.reactor.schedule(after: tickNanoseconds) { [weak self] _ in
      guard let self, !isOver else { return }
      ticks += 1
      silence += 1
      advance()
      tick()
    }
  }

  /// Sends pending events, as far as the page accepts them.
  private func advance() {
    guard let channel, !channel.isCongested else { return }
    while let last = pictured {
      let (rows, next) = source.rows(after: last, most: pictureRows)
      pictured = next
      guard next != nil else { break }
      tell([ConsoleEvent("rows", ["rows": .array(rows)])])
      if channel.isCongested { return channel.notifyWhenDrained() }
    }
    let isTime = ticks >= counterTicks
    if isTime { ticks = 0 }
    tell(source.news(after: &cursor, withCounters: isTime))
    if silence >= silentTicks {
      silence = 0
      channel.write(Array(":\n\n".utf8))
    }
  }

  private func tell(_ events: [ConsoleEvent]) {
    for event in events {
      silence = 0
      channel?.write(event.bytes)
    }
  }

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {}
  func channelReachedEnd(_ channel: Channel) { channel.close() }
  func channelDrained(_ channel: Channel) { if !isOver { advance() } }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    isOver = true
    if let timer { channel.reactor.cancel(timer) }
    timer = nil
    source.leave()
    ended()
  }
}
