internal import Foundation
internal import WindTunnel

/// What was decided about a fault, as far as a raw socket can tell whether it came so.
struct ExpectedView: Sendable, Hashable {
  /// How a connection, or the attempt at one, ends.
  enum Ending: String, Sendable, Hashable {
    /// By FIN.
    case finished = "FIN"
    /// By RST.
    case reset = "RST"
    /// Not at all: it stays open and silent.
    case open = "silence"
    /// Nobody listens.
    case refused = "refused"
    /// Nobody answers the attempt to connect.
    case unanswered = "no answer to SYN"
    /// The name has no address.
    case nameless = "no address"
  }

  /// The status, where an answer in good form begins.
  var status: Int?
  /// The content behind a head; without one everything that comes.
  var bytes = Data()
  /// How it ends.
  var ending = Ending.finished
  /// How long the server is silent on purpose before the end.
  var pauses = Duration.zero
  /// Whether a TLS handshake begins; what it shows is for a client with a library to judge.
  var isHandshake = false
  /// Whether the connection is kept until the client's next byte.
  var endsAtNextByte = false

  /// Reads the steps that were decided.
  init(_ delivery: Delivery) {
    for step in delivery.steps {
      switch step {
      case .wait(let time): pauses += time
      case .head(let head): status = head.status
      case .bytes(.data(let data)): bytes += data
      case .reset: ending = .reset
      case .stall: ending = .open
      case .shakeHands: (isHandshake, ending) = (true, .open)
      case .await, .bytes(.live), .finish, .close, .closeWrite, .fail, .relay, .relayUntil: break
      }
    }
    guard case .idle(let end) = delivery.afterwards else { return }
    ending = end.ending == .reset ? .reset : .finished
    switch end.moment {
    case .idle(let time): pauses += time
    case .nextRequest: endsAtNextByte = true
    }
  }

  /// A connection that fails before anything is sent on it.
  init(_ ending: Ending, after pauses: Duration = .zero) {
    (self.ending, self.pauses) = (ending, pauses)
  }

  /// In a line.
  var text: String {
    var parts: [String] = []
    if pauses > .zero { parts.append("\(Int(pauses.inMilliseconds)) ms of silence") }
    if isHandshake { parts.append("a ServerHello") }
    if let status { parts.append("\(status)") }
    if !bytes.isEmpty { parts.append("\(bytes.count) bytes") }
    return (parts + [ending.rawValue]).joined(separator: ", ")
  }
}
