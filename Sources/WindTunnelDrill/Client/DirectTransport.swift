internal import Foundation
internal import WindTunnelNetworkLayer
internal import WindTunnelSymptoms
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A transport of the reference client that asks a deck without a session.
struct DirectTransport: Transport {
  let exchange: DirectExchange

  func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer {
    do throws(DirectExchange.Failure) {
      let answer = try await exchange.answer(to: request)
      return HTTPAnswer(
        status: answer.head.status,
        headers: Headers(answer.head.headers.map { Headers.Field($0.name, $0.value) }),
        body: answer.body
      )
    } catch {
      switch error {
      case .cancelled: throw .cancelled
      case .failed(let symptom): throw .failed(symptom, text: symptom.rawValue)
      case .impossible(let reason): throw .failed(.unknown, text: reason)
      }
    }
  }
}
