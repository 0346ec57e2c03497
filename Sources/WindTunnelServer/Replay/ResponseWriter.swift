internal import Foundation
internal import WindTunnel

/// One delivery on its way to a client: the player, what it said, and how the content is framed.
final class ResponseWriter {
  /// What an answer is an answer to. It is much, and looked at often: so it is shared, not copied.
  final class Exchange {
    let head: RequestHead
    let outcome: Outcome
    let authority: Authority
    let delivery: Delivery
    /// Who tells of it, where somebody wants to know.
    var watch: RequestWatch?
    /// The request's content, where it is passed on while it comes.
    var upload: Upload?

    init(_ head: RequestHead, _ outcome: Outcome, _ authority: Authority, _ delivery: Delivery) {
      (self.head, self.outcome, self.authority, self.delivery) = (
        head, outcome, authority, delivery
      )
    }
  }

  /// How much of a body is handed over at once, so that a client that does not read costs no more.
  static let sliceBytes = 64 * 1024

  var player: Player
  /// What the player said and what has not been done.
  private var queue: [Player.Action] = []
  private var done = 0
  let exchange: Exchange?
  private let context: PortContext
  private var framing: Framing?
  private(set) var keepsAlive = false
  private var isFinished = false
  private var hasBegun = false

  init(_ player: Player, for exchange: Exchange?, in context: PortContext) {
    (self.player, self.exchange, self.context) = (player, exchange, context)
  }

  /// What is to be done next.
  var nextAction: Player.Action? { done < queue.count ? queue[done] : nil }

  func dropAction() { done += 1 }

  func add(_ actions: [Player.Action]) {
    if done == queue.count {
      (queue, done) = (actions, 0)
    } else {
      queue += actions
    }
  }

  /// What was sent of these bytes is not sent again.
  func keep(rest: Data) {
    done -= 1
    queue[done] = .bytes(rest)
  }

  /// Tells the deck that the answer has come to its end, once.
  func finished(_ ending: SeenRequest.Ending) {
    guard !isFinished, let exchange else { return }
    isFinished = true
    exchange.watch?.ended(ending)
    context.deck.finished(exchange.outcome)
  }

  /// The first byte leaves.
  private func begin() {
    guard !hasBegun, let exchange else { return }
    hasBegun = true
    context.deck.passed(.firstByte, of: exchange.outcome)
  }

  func write(_ head: ResponseHead, to channel: Channel) {
    guard let exchange else { return }
    begin()
    var head = head
    exchange.authority.localise(&head)
    let answer = AnswerFraming(
      status: head.status,
      to: exchange.head,
      length: Self.length(head, to: exchange.head) {
        exchange.delivery.steps.reduce(0) { sum, step in
          guard case .bytes(.data(let data)) = step else { return sum }
          return sum + data.count
        }
      },
      keepsAlive: exchange.delivery.afterwards.keepsConnection && !context.options.closesConnections
    )
    framing = answer.framing
    keepsAlive = answer.keepsAlive
    exchange.watch?.status = head.status
    channel.write { $0.appendHead(head, framed: answer, for: exchange.head.version) }
  }

  /// The length to announce: what the head says, which is more than comes where an answer is cut;
  /// none where the recording was chunked, or where a HEAD leaves it open; else what there is.
  static func length(
    _ head: ResponseHead,
    to request: RequestHead,
    content: () -> Int
  ) -> Int? {
    if let text = head.headers["Content-Length"] { return Int(text) }
    if head.headers["Transfer-Encoding"] != nil || request.method == "HEAD" { return nil }
    return content()
  }

  /// Writes a slice and answers what is left of the data.
  func write(_ data: Data, to channel: Channel) -> Data? {
    let slice = data.prefix(Self.sliceBytes)
    begin()
    exchange?.watch?.bytes += slice.count
    switch framing {
    case .none?: return nil
    case .chunked?: channel.write { $0.appendChunk(slice) }
    // Without a head these are raw bytes.
    case .length?, .untilClose?, nil: channel.write(slice)
    }
    let rest = data.dropFirst(slice.count)
    return rest.isEmpty ? nil : rest
  }

  func writeEnd(to channel: Channel) {
    if framing == .chunked { channel.write { $0.appendLastChunk() } }
  }
}
