internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The `URLProtocol` of a registered class: turns a task's life into that of a ``LoadingTask``.
///
/// It keeps to what is safe on Linux: the client is called on the task's own queue only, nothing
/// after a stop, one terminal call, and no call into `URLSession` from within these methods.
///
/// One thing no protocol can mend: on Linux a task that is resumed once more while it ends finds its
/// protocol gone and its entry, too, and the platform ends the process. An answer without a delay is
/// there at once, so a client that suspends and resumes wants one with a delay.
class Interceptor: URLProtocol {
  private var loading: LoadingTask?

  override class func canInit(with request: URLRequest) -> Bool {
    ["http", "https"].contains(request.url?.scheme?.lowercased())
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    if let loading { return loading.resume() }
    switch registration {
    case .success(let registration):
      let loading = LoadingTask(of: self, for: registration)
      self.loading = loading
      loading.resume()
    case .failure(let refusal): client?.urlProtocol(self, didFailWithError: refusal)
    }
  }

  /// The registration of the deck that answers this task.
  var registration: Result<ProtocolRegistration, HarnessError> {
    ProtocolClassPool.registration(of: type(of: self)).map { .success($0) }
      ?? .failure(
        HarnessError(
          "This session's deck was given back; make a session of the deck that plays now."
        )
      )
  }

  override func stopLoading() { loading?.pause() }
}

/// Something the harness has to say instead of playing.
struct HarnessError: LocalizedError, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
  var errorDescription: String? { description }
}
