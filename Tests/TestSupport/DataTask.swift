public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension URLSession {
  /// Sends a request by a completion handler, which is safe to cancel on every platform.
  public func result(
    of request: URLRequest
  ) async -> (data: Data?, response: HTTPURLResponse?, error: (any Error)?) {
    await withCheckedContinuation { continuation in
      dataTask(with: request) { data, response, error in
        continuation.resume(returning: (data, response as? HTTPURLResponse, error))
      }.resume()
    }
  }
}
