public import Foundation
public import Symptoms

/// Why a call brought nothing to show.
public enum NetworkError: Error, Sendable, Hashable {
  /// No request could be made of the endpoint; nothing was sent.
  case invalidRequest(RequestError)
  /// The caller gave up; no fault of the network.
  case cancelled
  /// The last attempt brought no answer: by name, and in the platform's own words.
  case transport(Symptom, text: String)
  /// The last answer has this status, 400 or above, and this content.
  case server(status: Int, body: Data)
  /// The last answer has status 429 (RFC 6585 §4); the wait it asked for, if it did.
  case rateLimited(retryAfter: Duration?)
  /// The call's deadline passed while an attempt was in flight.
  case deadlinePassed(Duration)

  /// What went wrong by name, where it was no answer of the server's.
  public var symptom: Symptom? {
    switch self {
    case .cancelled: .cancelled
    case .transport(let symptom, _): symptom
    case .deadlinePassed: .timedOut
    case .invalidRequest, .server, .rateLimited: nil
    }
  }
}

extension NetworkError: CustomStringConvertible {
  /// One sentence for a log.
  public var description: String {
    switch self {
    case .invalidRequest(let error): error.description
    case .cancelled: "The call was cancelled."
    case .transport(let symptom, let text): "No answer came (\(symptom.rawValue)): \(text)"
    case .server(let status, let body):
      "The server answered with status \(status) and \(body.count) bytes."
    case .rateLimited(let wait?): "The server wants to be left alone for \(wait)."
    case .rateLimited(nil): "The server wants fewer requests."
    case .deadlinePassed(let deadline): "No answer came within \(deadline)."
    }
  }
}
