internal import Symptoms

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Carries requests by a `URLSession`.
///
/// It uses tasks with completion handlers, never `data(for:)`: on Linux with Swift up to 6.3.3 a
/// cancel that meets the completion of `data(for:)` stops every session of the process
/// (swift-corelibs-foundation #5412).
///
/// On Linux with Swift 6.3 a session without a delegate never calls back for an answer of status
/// 401 with `WWW-Authenticate: Basic`. Only a cancellation or the deadline of the call ends that
/// attempt.
public struct URLSessionTransport: Transport {
  private let session: URLSession

  /// Sends by a session, which stays the caller's to invalidate.
  public init(session: URLSession) { self.session = session }

  /// Sends a request and brings its answer; a cancellation ends it without waiting for the session.
  public func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer {
    var request = request
    request.timeoutInterval = SessionTimeout.honoured(request.timeoutInterval)
    let exchange = Exchange()
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exchange.start(continuation) { [request] land in
          session.dataTask(with: request) { data, response, error in
            land(Self.outcome(data, response, error))
          }
        }
      }
    } onCancel: {
      exchange.cancel()
    }.get()
  }

  private static func outcome(
    _ data: Data?,
    _ response: URLResponse?,
    _ error: (any Error)?
  ) -> AttemptOutcome {
    if let error {
      let symptom = Symptom(error) ?? .unknown
      return .failure(
        symptom == .cancelled ? .cancelled : .failed(symptom, text: error.localizedDescription)
      )
    }
    guard let response = response as? HTTPURLResponse else {
      return .failure(.failed(.malformedResponse, text: "The answer is not HTTP."))
    }
    return .success(HTTPAnswer(response, body: data ?? Data()))
  }
}

extension HTTPAnswer {
  fileprivate init(_ response: HTTPURLResponse, body: Data) {
    let fields = response.allHeaderFields.map {
      Headers.Field(String(describing: $0.key), String(describing: $0.value))
    }
    self.init(
      status: response.statusCode,
      headers: Headers(fields.sorted { $0.name < $1.name }),
      body: body
    )
  }
}
