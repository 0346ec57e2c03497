import TestSupport
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer

/// A transport whose answers are read as they come: the n-th request opens the n-th answer.
final class OpenedTransport: Transport {
  private let answer: @Sendable (Int) throws(TransportError) -> StreamedResponse
  private let asked = Locked<[URLRequest]>([])

  /// Makes one of a function from a request's number, from 0, to its answer.
  init(_ answer: @escaping @Sendable (Int) throws(TransportError) -> StreamedResponse) {
    self.answer = answer
  }

  /// The requests that came, in order.
  var requests: [URLRequest] { asked.withLock { $0 } }

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    throw .failed(.unknown, text: "It is read as it comes.")
  }

  func open(
    _ request: URLRequest,
    _ upload: Upload
  ) async throws(TransportError) -> StreamedResponse {
    let number = asked.withLock { asked in
      defer { asked.append(request) }
      return asked.count
    }
    return try answer(number)
  }
}
