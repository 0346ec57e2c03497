internal import Foundation
@_spi(WindTunnel) internal import WindTunnel

/// A response as bytes of HTTP/1.1. A class, so that repeated requests share it without copies.
final class RenderedResponse: Sendable {
  /// The bytes of the head, or its field block in HTTP/2.
  let head: [UInt8]
  /// The recorded body. A chunked body of HTTP/1.1 includes its framing.
  let body: Data
  /// The framing of the content.
  let framing: Framing

  /// The maximum size of a rendered body. Larger bodies are sent in slices, at the speed of the
  /// client.
  static let bodyBytesMax = 64 * 1024

  /// Renders a response; `nil` if its bytes depend on the client or if it ends the connection.
  init?(_ response: (head: ResponseHead, body: Data), to request: RequestHead) {
    // Whether trailers are sent depends on the client.
    guard response.head.trailers.isEmpty else { return nil }
    let framing = AnswerFraming(
      status: response.head.status,
      to: request,
      length: response.head.announcedLength(to: request.method) { response.body.count }
    )
    self.framing = framing.framing
    var head: [UInt8] = []
    guard request.version != .http2 else {
      head.appendBlock(response.head, framed: framing)
      self.head = head
      body = framing.framing == .none ? Data() : response.body
      return
    }
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

/// A cache of rendered responses, which can be sent again unchanged.
///
/// Used only on one loop's thread.
final class RenderedResponses: @unchecked Sendable {
  private var cache = RenderedResponseCache<RenderedResponse>()
  /// The responses of HTTP/2.
  private var streamCache = RenderedResponseCache<RenderedResponse>()
  private var repeats = 0

  /// The number of responses that were sent from the cache or again from a ``ParsedRequestCache``.
  var hits: Int { cache.hits + streamCache.hits + repeats }

  /// Returns the rendered response to a request, from the cache if possible; `nil` if the response
  /// cannot be rendered.
  ///
  /// A rendered response is the same for every equal request, and is sent in one write.
  func response(to request: RequestHead, _ outcome: Outcome, in origins: OriginContext)
    -> RenderedResponse?
  {
    guard let key = outcome.renderedKey, request.takesRenderedResponses else { return nil }
    let isHTTP2 = request.version == .http2
    if let response = isHTTP2 ? streamCache.find(key) : cache.find(key) { return response }
    guard case .recording(let interaction, _) = outcome.source,
      let recorded = interaction.response, recorded.body.count <= RenderedResponse.bodyBytesMax,
      OriginMapping.isSameForAll(recorded.headers, in: origins),
      let whole = outcome.whole(on: .onTheWire), let response = RenderedResponse(whole, to: request)
    else { return nil }
    let weight = response.head.count + response.body.count
    if isHTTP2 {
      streamCache.keep(response, under: key, weighing: weight)
    } else {
      cache.keep(response, under: key, weighing: weight)
    }
    return response
  }

  /// Counts a response that is sent again from its cached request, and returns it.
  func again(_ response: RenderedResponse) -> RenderedResponse {
    repeats += 1
    return response
  }
}

extension Channel {
  /// Sends a rendered response, on a stream or in HTTP/1.1.
  func write(_ response: RenderedResponse, on stream: StreamPlace? = nil) {
    write { bytes in
      if let stream { return stream.append(response, to: &bytes) }
      bytes.append(contentsOf: response.head)
      response.body.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
  }
}

/// A stream of a connection that speaks HTTP/2.
struct StreamPlace {
  let codec: HTTP2Codec
  let stream: Int

  fileprivate func append(_ response: RenderedResponse, to bytes: inout [UInt8]) {
    let (body, framing) = (response.body, response.framing)
    codec.append(block: response.head, body, in: framing, on: stream, to: &bytes)
  }
}

extension RequestHead {
  /// Whether the response has the usual framing: GET without content on a persistent connection.
  var takesRenderedResponses: Bool {
    version != .http10 && keepsAlive && method == "GET" && framing == .none
  }
}
