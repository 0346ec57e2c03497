internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelNetworkLayer
internal import WindTunnelSymptoms
internal import WindTunnelURLSession

/// A transport of the reference client that sends requests to a deck without a session.
struct DirectTransport: Transport {
  let exchange: DirectExchange

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    do throws(DirectExchange.Failure) {
      let answer = try await exchange.answer(to: request)
      return ServerResponse(
        status: answer.head.status,
        headers: Headers(answer.head.headers),
        body: answer.body
      )
    } catch {
      throw TransportError(error)
    }
  }

  func open(
    _ request: URLRequest,
    _ upload: Upload
  ) async throws(TransportError) -> StreamedResponse {
    let request = try upload.whole(request)
    let opened = Promise<Result<StreamedResponse, TransportError>>()
    let (pieces, next) = AsyncThrowingStream<Data, any Error>.makeStream()
    let handed = Locked<AsyncThrowingStream<Data, any Error>?>(pieces)
    let listener = DirectExchange.Listener { head in
      upload.allSent(of: request)
      // Only one caller receives the pieces, and releasing them ends the exchange.
      guard let pieces = handed.withLock({ Swift.exchange(&$0, with: nil) }) else { return }
      opened.keep(
        .success(
          StreamedResponse(status: head.status, headers: Headers(head.headers), pieces: pieces)
        )
      )
    } piece: { piece in
      next.yield(piece)
    }
    let exchanging = Task {
      do throws(DirectExchange.Failure) {
        _ = try await exchange.answer(to: request, hearing: listener)
        next.finish()
      } catch {
        let error = TransportError(error)
        // An error before the head is the result of the request.
        opened.keep(.failure(error))
        next.finish(throwing: error)
      }
    }
    next.onTermination = { if case .cancelled = $0 { exchanging.cancel() } }
    return try await withTaskCancellationHandler {
      await opened.value
    } onCancel: {
      exchanging.cancel()
    }.get()
  }
}

extension Headers {
  /// Creates header fields from the fields of a recording or a response.
  init(_ fields: HeaderFields) { self.init(fields.map { Field($0.name, $0.value) }) }
}

extension TransportError {
  fileprivate init(_ failure: DirectExchange.Failure) {
    switch failure {
    case .cancelled: self = .cancelled
    case .failed(let symptom): self = .failed(symptom, text: symptom.rawValue)
    case .impossible(let reason): self = .failed(.unknown, text: reason)
    }
  }
}
