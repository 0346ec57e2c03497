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
    let asked = call.urlRequest
    // Not `data(for:)`: a cancelled one can stop every session of the process on Linux.
    return await withCheckedContinuation { continuation in
      call.session.dataTask(with: asked) { data, response, error in
        var landing = Self.landing(data, response, error)
        // Whatever else is sent, the system sends by itself.
        landing.attempts = 1
        continuation.resume(returning: landing)
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
