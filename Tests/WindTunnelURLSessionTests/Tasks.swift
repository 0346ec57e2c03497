import TestSupport

extension URLSession {
  /// Starts a task, cancels it after `before`, and answers the error it ends with.
  func cancelling(_ url: String, _ before: (URLSessionTask) -> Void) async throws -> URLError {
    let request = URLRequest(url: try #require(URL(string: url)))
    let seen = await seen(request) { task in
      task.resume()
      before(task)
      task.cancel()
    }
    return try #require(seen.error as? URLError)
  }

  func uploading(_ request: URLRequest, _ data: Data) async -> Seen {
    await Self.answered { uploadTask(with: request, from: data, completionHandler: $0) }
  }

  func uploading(_ request: URLRequest, _ file: URL) async -> Seen {
    await Self.answered { uploadTask(with: request, fromFile: file, completionHandler: $0) }
  }
}
