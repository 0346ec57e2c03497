import TestSupport

extension URLSession {
  /// A body as text, by a completion handler: it is safe on every platform.
  func text(_ url: String) async throws -> String {
    guard let url = URL(string: url) else { throw URLError(.badURL) }
    return try await text(URLRequest(url: url))
  }

  func text(_ request: URLRequest) async throws -> String {
    try await withCheckedThrowingContinuation { text(request, $0) }
  }

  func text(_ request: URLRequest, _ continuation: CheckedContinuation<String, any Error>) {
    dataTask(with: request) { data, _, error in
      continuation.resume(
        with: Result {
          if let error { throw error }
          return String(decoding: data ?? Data(), as: UTF8.self)
        }
      )
    }.resume()
  }
}
