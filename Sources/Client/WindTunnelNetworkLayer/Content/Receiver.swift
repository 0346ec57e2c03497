internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import Foundation
#else
  package import Foundation
#endif

/// A receiver of the content of a call's responses as it arrives, attempt by attempt.
package protocol Receiver: Sendable {
  /// Returns the request of the next attempt.
  func asking(_ request: URLRequest) -> URLRequest
  /// Receives the content of an attempt's response.
  ///
  /// - Returns: The response with the content that rules may check. If the response is not the
  ///   requested one, such as an error, that is all of its content.
  func take(_ answer: StreamedResponse) async throws(TransportError) -> ServerResponse
}

extension Receiver {
  package func asking(_ request: URLRequest) -> URLRequest { request }
}

extension StreamedResponse {
  /// The maximum content of an unrequested response, such as an error's, in bytes. The rest is cut
  /// off.
  package static let otherBytesMax = 1 << 20

  /// Passes the content on as it arrives.
  ///
  /// - Throws: The error that ended the content, or the error of `take`.
  func pass(to take: (Data) throws(TransportError) -> Void) async throws(TransportError) {
    do {
      for try await piece in pieces { try take(piece) }
    } catch {
      throw error as? TransportError ?? .failed(.unknown, text: "\(error)")
    }
    // A cancelled task receives no more pieces, the same as at the end of the content.
    if Task.isCancelled { throw .cancelled }
  }

  /// Returns the response with its content up to a limit, and cancels the rest.
  package func collected(to limit: Int) async throws(TransportError) -> ServerResponse {
    var body = Data()
    do {
      for try await piece in pieces {
        body += piece.prefix(limit - body.count)
        if body.count >= limit { break }
      }
    } catch {
      throw error as? TransportError ?? .failed(.unknown, text: "\(error)")
    }
    if Task.isCancelled { throw .cancelled }
    if body.count >= limit { cancel() }
    return whole(body)
  }
}

/// A receiver that keeps the content in memory, up to a limit.
struct MemoryReceiver: Receiver {
  let progress: TransferProgress?
  /// The maximum number of bytes of content.
  var bytesMax = 256 << 20

  func take(_ answer: StreamedResponse) async throws(TransportError) -> ServerResponse {
    var body = Data()
    try await answer.pass { piece throws(TransportError) in
      guard body.count + piece.count <= bytesMax else {
        answer.cancel()
        throw .failed(
          .undecodableBody,
          text: "The content is larger than \(bytesMax) bytes, the maximum in memory. Download it."
        )
      }
      body += piece
      progress?.received(Int64(body.count), of: answer.lengthOfContent)
    }
    return answer.whole(body)
  }
}

/// A receiver that passes the response on before its content has arrived.
final class StreamReceiver: Receiver {
  private let rules: ResponseRules
  private let opened = Locked<StreamedResponse?>(nil)

  /// Creates a receiver of responses that satisfy the rules.
  init(_ rules: ResponseRules) { self.rules = rules }

  /// The last response that was accepted.
  var answer: StreamedResponse? { opened.withLock { $0 } }

  func take(_ answer: StreamedResponse) async throws(TransportError) -> ServerResponse {
    guard rules.statuses.contains(answer.status) else {
      return try await answer.collected(to: StreamedResponse.otherBytesMax)
    }
    opened.withLock { $0 = answer }
    return answer.head(bytesElsewhere: 0)
  }
}
