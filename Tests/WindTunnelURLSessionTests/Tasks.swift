import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSession {
  /// Starts a task, cancels it after `before`, and answers the error it ends with.
  func cancelling(_ url: String, _ before: (URLSessionTask) -> Void) async throws -> URLError {
    let url = try #require(URL(string: url))
    let error: (any Error)? = await withCheckedContinuation { continuation in
      let task = dataTask(with: url) { _, _, error in continuation.resume(returning: error) }
      task.resume()
      before(task)
      task.cancel()
    }
    return try #require(error as? URLError)
  }

  func uploading(_ request: URLRequest, _ data: Data) async -> Seen {
    await withCheckedContinuation { continuation in
      uploadTask(with: request, from: data) { data, response, error in
        let response = response as? HTTPURLResponse
        continuation.resume(returning: Seen(body: data, response: response, error: error))
      }.resume()
    }
  }

  func uploading(_ request: URLRequest, _ file: URL) async -> Seen {
    await withCheckedContinuation { continuation in
      uploadTask(with: request, fromFile: file) { data, response, error in
        let response = response as? HTTPURLResponse
        continuation.resume(returning: Seen(body: data, response: response, error: error))
      }.resume()
    }
  }
}
