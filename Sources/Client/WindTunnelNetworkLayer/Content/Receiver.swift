internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import Foundation
  package import FoundationNetworking
#else
  package import Foundation
#endif

/// The one who takes the content of a call's answers as it comes, attempt by attempt.
package protocol Receiver: Sendable {
  /// Returns the request of the next attempt.
  func asking(_ request: URLRequest) -> URLRequest
  /// Takes the content of an attempt's answer.
  ///
  /// - Returns: The answer with as much of its content as there is to look at: all of it where it
  ///   is none that was asked for.
  func take(_ answer: StreamedResponse) async throws(TransportError) -> ServerResponse
}

extension Receiver {
  package func asking(_ request: URLRequest) -> URLRequest { request }
}

extension StreamedResponse {
  /// The greatest content of an answer that was not asked for, such as an error's, in bytes; what
  /// is longer is cut off there.
  package static let otherBytesMax = 1 << 20

  /// Passes the content on as it comes.
  ///
  /// - Throws: The error with which it ends, or that of whoever takes it.
  func pass(to take: (Data) throws(TransportError) -> Void) async throws(TransportError) {
    do {
      for try await piece in pieces { try take(piece) }
    } catch {
      throw error as? TransportError ?? .failed(.unknown, text: "\(error)")
    }
    // Whoever is cancelled gets no more pieces, as at the end.
    if Task.isCancelled { throw .cancelled }
  }

  /// Returns the answer with its content as far as a limit, where the rest is given up.
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

/// A receiver that keeps the content in memory, as far as that is sane.
struct MemoryReceiver: Receiver {
  let progress: TransferProgress?
  /// The most bytes of content.
  var bytesMax = 256 << 20

  func take(_ answer: StreamedResponse) async throws(TransportError) -> ServerResponse {
    var body = Data()
    try await answer.pass { piece throws(TransportError) in
      guard body.count + piece.count <= bytesMax else {
        answer.cancel()
        throw .failed(
          .undecodableBody,
          text: "The content is larger than \(bytesMax) bytes: what is kept in memory. Download it."
        )
      }
      body += piece
      progress?.received(Int64(body.count), of: answer.lengthOfContent)
    }
    return answer.whole(body)
  }
}

/// A receiver that hands the content on before it has come.
final class StreamReceiver: Receiver {
  private let rules: ResponseRules
  private let opened = Locked<StreamedResponse?>(nil)

  /// Makes one for answers that satisfy rules.
  init(_ rules: ResponseRules) { self.rules = rules }

  /// The answer that was accepted last.
  var answer: StreamedResponse? { opened.withLock { $0 } }

  func take(_ answer: StreamedResponse) async throws(TransportError) -> ServerResponse {
    guard rules.statuses.contains(answer.status) else {
      return try await answer.collected(to: StreamedResponse.otherBytesMax)
    }
    opened.withLock { $0 = answer }
    return answer.head(bytesElsewhere: 0)
  }
}
