internal import Foundation
internal import Symptoms
internal import WindTunnel

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A bare `URLSession`: one task a call, no policy of its own. The yardstick.
struct URLSessionSubject: Subject {
  let name = "urlsession"

  func fly(_ call: DrillCall) async -> Landing {
    var request = URLRequest(url: call.url)
    request.httpMethod = call.request.method
    request.timeoutInterval = call.attemptTimeout.inMilliseconds / 1000
    for field in call.request.headers {
      request.setValue(field.value, forHTTPHeaderField: field.name)
    }
    if !call.request.body.data.isEmpty { request.httpBody = call.request.body.data }
    let asked = request
    // Not `data(for:)`: a cancelled one can stop every session of the process on Linux.
    return await withCheckedContinuation { continuation in
      call.session.dataTask(with: asked) { data, response, error in
        continuation.resume(returning: Self.landing(data, response, error))
      }.resume()
    }
  }

  private static func landing(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?)
    -> Landing
  {
    if let error { return .bad((Symptom(error) ?? .unknown).rawValue) }
    guard let status = (response as? HTTPURLResponse)?.statusCode else {
      return .bad("no response")
    }
    return 200..<400 ~= status ? .good(data ?? Data()) : .bad("status \(status)")
  }
}
