internal import Foundation
@_spi(WindTunnel) internal import WindTunnel

/// A response as it stands on the wire.
struct RenderedResponse {
  /// The part that was put together for it.
  let head: [UInt8]
  /// The recorded bytes; those of a chunked response in their framing.
  let body: Data

  /// Larger bodies are sent in slices, as fast as the client takes them.
  static let bodyBytesMax = 64 * 1024

  /// Renders what a recording comes to; `nil` where it is told in the words of who asks.
  init?(_ response: (head: ResponseHead, body: Data), to request: RequestHead) {
    // Whether trailers are sent depends on the client.
    guard response.head.trailers.isEmpty else { return nil }
    let framing = AnswerFraming(
      status: response.head.status,
      to: request,
      length: response.head.announcedLength(to: request.method) { response.body.count }
    )
    var head: [UInt8] = []
    head.appendHead(response.head, framed: framing, for: request.version)
    switch framing.framing {
    case .none: body = Data()
    case .length: body = response.body
    case .chunked:
      var chunks: [UInt8] = []
      chunks.appendChunk(response.body)
      chunks.appendLastChunk()
      body = Data(chunks)
    case .untilClose: return nil
    }
    self.head = head
  }
}

/// The responses that were rendered for requests that came before, to be sent again as they are.
///
/// On one loop's thread only.
final class RenderedResponses: @unchecked Sendable {
  private var cache = RenderedResponseCache<RenderedResponse>()
  private var repeats = 0

  /// The number of responses that were sent without being put together.
  var hits: Int { cache.hits + repeats }

  /// Returns the response to a request, where it is the same for every like one and sent in one go:
  /// as it was rendered before, or rendered now for those that follow.
  func response(to request: RequestHead, _ outcome: Outcome) -> RenderedResponse? {
    guard let key = outcome.renderedKey, request.takesRenderedResponses else { return nil }
    if let response = cache.find(key) { return response }
    guard case .recording(let interaction, _) = outcome.source,
      let recorded = interaction.response, recorded.body.count <= RenderedResponse.bodyBytesMax,
      OriginMapping.isSameForAll(recorded.headers), let whole = outcome.whole(on: .onTheWire),
      let response = RenderedResponse(whole, to: request)
    else { return nil }
    cache.keep(response, under: key, weighing: response.head.count + response.body.count)
    return response
  }

  /// Notes that a response is sent again that its request held ready.
  func again(_ response: RenderedResponse) -> RenderedResponse {
    repeats += 1
    return response
  }
}

extension Channel {
  /// Sends a response as it is.
  func write(_ response: RenderedResponse) {
    write { bytes in
      bytes.append(contentsOf: response.head)
      response.body.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
  }
}

extension RequestHead {
  /// Tells whether the framing of an answer is that of most.
  var takesRenderedResponses: Bool { version == .http11 && keepsAlive && method == "GET" }
}
