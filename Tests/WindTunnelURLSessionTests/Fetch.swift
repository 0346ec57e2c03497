import TestSupport
import WindTunnel
import WindTunnelURLSession

/// What a caller of a task sees.
struct Seen: Sendable {
  var body: Data?
  var response: HTTPURLResponse?
  var error: (any Error)?

  var status: Int? { response?.statusCode }
  var text: String? { body.map { String(decoding: $0, as: UTF8.self) } }
}

extension URLSession {
  /// Asks by a completion-handler task: cancelling `data(for:)` can stop a process on Linux.
  func seen(_ request: URLRequest) async -> Seen {
    await Self.answered { dataTask(with: request, completionHandler: $0) }
  }

  /// Starts a task, or does something else with it, and returns the arguments of its completion
  /// handler.
  static func answered(
    _ task: (@escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask,
    _ start: (URLSessionTask) -> Void = { $0.resume() }
  ) async -> Seen {
    await withCheckedContinuation { continuation in
      let task = task { data, response, error in
        let response = response as? HTTPURLResponse
        continuation.resume(returning: Seen(body: data, response: response, error: error))
      }
      start(task)
    }
  }

  /// Asks by a task that is started, stopped and ended by hand.
  func seen(_ request: URLRequest, _ start: (URLSessionTask) -> Void) async -> Seen {
    await Self.answered({ dataTask(with: request, completionHandler: $0) }, start)
  }

  func seen(_ url: String, method: String = "GET", body: Data? = nil) async -> Seen {
    guard let url = URL(string: url) else { return Seen(error: URLError(.badURL)) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    return await seen(request)
  }
}

extension Deck {
  /// A session with a protocol class of its own.
  func session(_ adjust: (URLSessionConfiguration) -> Void = { _ in }) -> URLSession {
    let configuration = URLSessionConfiguration.windTunnel(self)
    adjust(configuration)
    return URLSession(configuration: configuration)
  }
}
