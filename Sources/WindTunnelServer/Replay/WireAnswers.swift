internal import Foundation
internal import WindTunnel

/// The heads of recorded answers as they stood on the wire when they were sent first, for whoever
/// asks for the same by a like request.
///
/// On one loop's thread only.
final class WireAnswers: @unchecked Sendable {
  /// An answer in two parts: what was put together for it, and the recorded bytes.
  struct Answer {
    let head: [UInt8]
    let body: Data
  }

  var kept = RenderedResponseCache<Answer>()
}

extension ClientConnection {
  /// Answers what was answered before by the same bytes; false where they have to be put together.
  func answerPlainly(_ outcome: Outcome, to head: RequestHead) -> Bool {
    guard let key = outcome.renderedKey, head.takesPlainAnswers, let channel,
      !channel.isCongested, let answer = house.plainAnswers.kept.find(key)
    else { return false }
    channel.write(answer)
    return true
  }

  /// Keeps the head of an answer that is the same for everybody.
  func keepPlainAnswer(
    _ answer: (head: ResponseHead, body: Data),
    _ outcome: Outcome,
    to head: RequestHead
  ) {
    guard let key = outcome.renderedKey, head.takesPlainAnswers, !house.options.closesConnections,
      // A redirect is told in the words of who asks.
      answer.head.headers["Location"] == nil
    else { return }
    var bytes: [UInt8] = []
    let framing = AnswerFraming(
      status: answer.head.status,
      to: head,
      length: Performance.length(answer.head, to: head) { answer.body.count }
    )
    let hasBody: Bool
    switch framing.framing {
    case .none: hasBody = false
    case .length: hasBody = true
    case .chunked, .untilClose: return
    }
    bytes.appendHead(answer.head, framed: framing, for: head.version)
    let kept = WireAnswers.Answer(head: bytes, body: hasBody ? answer.body : Data())
    house.plainAnswers.kept.keep(kept, under: key, weighing: bytes.count + kept.body.count)
  }
}

extension Channel {
  /// Sends an answer as it is.
  func write(_ answer: WireAnswers.Answer) {
    write { bytes in
      bytes.append(contentsOf: answer.head)
      answer.body.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
  }
}

extension RequestHead {
  /// Whether the framing of an answer is that of most.
  var takesPlainAnswers: Bool { version == .http11 && keepsAlive && method == "GET" }
}
