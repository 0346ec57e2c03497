internal import Foundation
@_spi(WindTunnel) internal import WindTunnel
internal import WindTunnelSymptoms

/// The reception of one delivery: what a client without a session is handed of it, step by step,
/// by whatever clock its caller has.
struct Reception {
  /// A step of it.
  enum Step {
    /// It is over with an answer: its head, and its body without content coding.
    case answer(head: ResponseHead, body: Data)
    /// It is over with a symptom, before a platform makes an error of it.
    case failure(Symptom)
    /// It cannot be had without a socket, for the reason in a sentence.
    case impossible(String)
    /// The connection is open, and there is no answer yet.
    case opened
    /// Nothing comes before a moment, counted from the beginning; `nil`: nothing comes at all.
    case wait(until: Duration?)
  }

  private var player: Player
  private let delivery: Delivery
  private let request: Request
  /// Tells whether it is of a connection alone.
  private let isOpening: Bool
  private(set) var head: ResponseHead?
  private var body = Data()
  /// The number of bytes of the body that somebody has heard of.
  private var heard = 0
  private var answer = AnswerInHand()
  /// The time of the last byte, counted from the beginning; `nil`: there was none.
  private(set) var lastActivity: Duration?
  /// The time of the head.
  private(set) var headCame: Duration?

  init(_ delivery: Delivery, _ shaper: Shaper?, of request: Request, isOpening: Bool) {
    (self.delivery, self.request, self.isOpening) = (delivery, request, isOpening)
    player = Player(delivery, shaper: shaper)
  }

  /// Takes an event at a time that counts from the beginning.
  mutating func next(_ event: Player.Event, at now: Duration) -> Step {
    var wake: Duration?
    for action in player.next(event, at: now) {
      switch action {
      case .wake(let moment): wake = moment
      case .stall: if answer.isWhole { return whole }
      case .head(let came):
        (lastActivity, headCame) = (now, headCame ?? now)
        (head, answer) = (came, AnswerInHand(came, to: request.method))
        // Whoever follows does not read the rest.
        if Request(following: came, from: request) != nil {
          return .answer(head: came, body: Data())
        }
      case .bytes(let data):
        lastActivity = now
        answer.received += data.count
        body.append(data)
      case .finish: return whole
      case .close, .closeWrite:
        if let symptom = answer.symptomWhenClosed { return .failure(symptom) }
        return whole
      case .reset: return answer.isWhole ? whole : .failure(.connectionLost)
      case .fail(let symptom): return answer.isWhole ? whole : .failure(symptom)
      case .live: return .impossible("There is no live origin to ask without a session.")
      // Nothing in process has two ends to relay between.
      case .relay, .pass, .passEnd, .hold, .takeMore, .shakeHands, .converse:
        return .failure(.unknown)
      }
    }
    if isOpening, delivery.afterwards == .keep, player.isDone { return .opened }
    return .wait(until: wake)
  }

  /// Tells whether the body has a content coding.
  var isCoded: Bool { answer.coding != nil }

  /// Returns the bytes of the body that have come since the last time; none of a body with a
  /// content coding, which is not to be read before it is whole.
  mutating func takePiece() -> Data {
    guard !isCoded, heard < body.count else { return Data() }
    defer { heard = body.count }
    return body.dropFirst(heard)
  }

  private var whole: Step {
    guard let head else { return .failure(.malformedResponse) }
    guard let open = ContentCoding.open(body, body.isEmpty ? nil : answer.coding) else {
      return ContentCoding.refusal(answer.coding).map { .impossible("\($0)") }
        ?? .failure(.undecodableBody)
    }
    return .answer(head: head, body: open)
  }
}

extension Request {
  /// The request by which an answer that leads elsewhere is followed; `nil` where it is the answer
  /// itself.
  init?(following head: ResponseHead, from original: Request) {
    guard 300..<400 ~= head.status,
      let target = RedirectTarget(
        head,
        from: URL(string: original.url.description),
        method: original.method
      )
    else { return nil }
    self.init(
      target.method,
      RequestURL(target.url.absoluteString),
      headers: HeaderFields(
        original.headers.filter { field in !target.dropped.contains { field.isNamed($0) } }
      ),
      body: target.keepsBody ? original.body : .empty
    )
  }
}
