public import Foundation
public import WindTunnelSymptoms

/// Why a call brought nothing to show.
public enum NetworkError: Error, Sendable, Hashable {
  /// No request could be made of the endpoint; nothing was sent.
  case invalidRequest(RequestError)
  /// The caller gave up; no fault of the network.
  case cancelled
  /// The device has no network at all, in the platform's own words; a later call may go better, and
  /// the user can do something about it.
  case offline(text: String)
  /// The last attempt brought no answer: by name, and in the platform's own words.
  case transport(Symptom, text: String)
  /// The last answer has a status that is not good, and this content.
  case server(status: Int, body: Data)
  /// The last answer has status 429 (RFC 6585 §4); the wait it asked for, if it did.
  case rateLimited(retryAfter: Duration?)
  /// The transfer went well and the server says no: the code and the words of its envelope.
  case business(code: String, message: String)
  /// An answer came and is not what was agreed on.
  case decode(DecodeFault)
  /// A middleware let the call through no further, in its own words.
  case middleware(String)
  /// The call's deadline passed before there was an answer.
  case deadlinePassed(Duration)
  /// Nothing was sent: this host failed too often a moment ago, and is asked again after a wait.
  case circuitOpen(host: String, retryAfter: Duration)

  /// What went wrong by name, where it was no answer of the server's.
  public var symptom: Symptom? {
    switch self {
    case .cancelled: .cancelled
    case .offline: .offline
    case .transport(let symptom, _): symptom
    case .deadlinePassed: .timedOut
    case .invalidRequest, .server, .rateLimited, .business, .decode, .middleware,
      .circuitOpen:
      nil
    }
  }
}

extension NetworkError: CustomStringConvertible {
  /// One sentence for a log.
  public var description: String {
    switch self {
    case .invalidRequest(let error): error.description
    case .cancelled: "The call was cancelled."
    case .offline(let text): "There is no network: \(text)"
    case .transport(let symptom, let text): "No answer came (\(symptom.rawValue)): \(text)"
    case .server(let status, let body):
      "The server answered with status \(status) and \(body.count) bytes."
    case .rateLimited(let wait?): "The server wants to be left alone for \(wait)."
    case .rateLimited(nil): "The server wants fewer requests."
    case .business(let code, let message): "The server refused with code \(code): \(message)"
    case .decode(let fault): fault.description
    case .middleware(let text): text
    case .deadlinePassed(let deadline): "No answer came within \(deadline)."
    case .circuitOpen(let host, let wait):
      "\(host) failed too often and is not asked for another \(wait)."
    }
  }
}
