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

extension Channel {
  /// Writes a whole answer; true if the connection outlives it.
  func write(
    _ answer: ResponseHead,
    _ body: Data,
    to request: RequestHead,
    as authority: Authority,
    in context: PortContext
  ) -> Bool {
    var shown = answer
    authority.localise(&shown)
    let framing = AnswerFraming(
      status: shown.status,
      to: request,
      length: ResponseWriter.length(shown, to: request) { body.count },
      keepsAlive: !context.options.closesConnections
    )
    write { bytes in
      bytes.appendHead(shown, framed: framing, for: request.version)
      switch framing.framing {
      case .none: break
      case .chunked:
        bytes.appendChunk(body)
        bytes.appendLastChunk()
      case .length, .untilClose: bytes.append(contentsOf: body)
      }
    }
    return framing.keepsAlive
  }
}
