internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A bare `URLSession` for comparison: one task for each call, without a retry policy of its own.
struct URLSessionSubject: Subject {
  let name = "urlsession"

  func run(_ call: DrillCall) async -> CallResult {
    let asked = call.urlRequest
    // Not `data(for:)`: a cancelled one can stop every session of the process on Linux.
    let flight = Locked<URLSessionDataTask?>(nil)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let task = call.session.dataTask(with: asked) { data, response, error in
          var result = Self.result(data, response, error)
          // The system sends any further attempts by itself.
          result.attempts = 1
          continuation.resume(returning: result)
        }
        flight.withLock { $0 = task }
        task.resume()
        if Task.isCancelled { Self.cancel(task) }
      }
    } onCancel: {
      if let task = flight.withLock({ $0 }) { Self.cancel(task) }
    }
  }

  /// On another thread: `cancel` blocks until the session's queue is free, and would trap on that
  /// queue.
  private static func cancel(_ task: URLSessionDataTask) {
    DispatchQueue.global().async { task.cancel() }
  }

  private static func result(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?)
    -> CallResult
  {
    if let error { return .bad((Symptom(error) ?? .unknown).rawValue) }
    guard let status = (response as? HTTPURLResponse)?.statusCode else {
      return .bad("no response")
    }
    return 200..<400 ~= status ? .good(data ?? Data()) : .bad("status \(status)")
  }
}
