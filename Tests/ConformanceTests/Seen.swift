import TestSupport
import WindTunnelSymptoms

/// What a client sees of one request: the same on every stage, or a stage does not keep its word.
struct Seen: Sendable, Hashable {
  var status: Int?
  var body: String
  var symptom: Symptom?

  init(_ status: Int?, _ body: String = "", _ symptom: Symptom? = nil) {
    (self.status, self.body, self.symptom) = (status, body, symptom)
  }

  /// The fields and the address are no part of the comparison; a test asks for those it means.
  private(set) var response: HTTPURLResponse?
  /// What the error says.
  private(set) var failure: String?

  init(_ response: HTTPURLResponse?, _ body: Data, _ error: (any Error)?) {
    status = response?.statusCode
    self.body = String(decoding: body, as: UTF8.self)
    symptom = error.map { Symptom($0) ?? .unknown }
    self.response = response
    failure = error?.localizedDescription
  }

  subscript(name: String) -> String? { response?.value(forHTTPHeaderField: name) }

  static func == (one: Seen, other: Seen) -> Bool {
    (one.status, one.body, one.symptom) == (other.status, other.body, other.symptom)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(status)
    hasher.combine(body)
    hasher.combine(symptom)
  }

  static func asking(
    _ request: URLRequest,
    _ configuration: URLSessionConfiguration,
    follows: Bool
  ) async -> Seen {
    await withCheckedContinuation { continuation in
      let watcher = Watcher(follows: follows) { continuation.resume(returning: $0) }
      let session = URLSession(configuration: configuration, delegate: watcher, delegateQueue: nil)
      session.dataTask(with: request).resume()
      session.finishTasksAndInvalidate()
    }
  }
}

/// A delegate that sees one task. Its callbacks come one after the other.
private final class Watcher: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let follows: Bool
  private let done: (Seen) -> Void
  private var response: HTTPURLResponse?
  private var body = Data()

  init(follows: Bool, _ done: @escaping (Seen) -> Void) {
    (self.follows, self.done) = (follows, done)
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    self.response = response as? HTTPURLResponse
    completionHandler(.allow)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(follows ? request : nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    body.append(data)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    done(Seen(response ?? task.response as? HTTPURLResponse, body, error))
  }
}
