package import WindTunnelSymptoms

/// The reason why a request has no response, or only a part of one.
package enum ExchangeFailure: Error, Sendable {
  /// The connection could not be opened, or broke.
  case socket(SocketError)
  /// The response is invalid or incomplete.
  case message(ProtocolError)
  /// The client must not be connected to the server's address.
  case forbidden(AddressRefusal)
  /// The server, or the wait for a connection to it, took too long.
  case tooSlow(String)
  /// The sender of the request's content stopped before its end.
  case stalledContent(String)
  /// The file with the request's content cannot be read.
  case unreadable(String)

  /// The symptom for the client of the exchange.
  package var symptom: Symptom {
    switch self {
    case .socket(let error): error.symptom
    case .message(let error): error.symptom
    case .tooSlow, .stalledContent: .timedOut
    case .forbidden, .unreadable: .unknown
    }
  }

  /// The reason as a sentence or a part of one.
  package var text: String {
    switch self {
    case .socket(let error): "\(error)"
    case .message(let error): error.sentence
    case .forbidden(let refusal): "\(refusal)"
    case .tooSlow(let text), .stalledContent(let text), .unreadable(let text): text
    }
  }

  /// If content is only delimited by the end of the connection, it is complete only if TLS has
  /// ended, too (RFC 9112 §9.8).
  static let noEndOfTLS = message(
    ProtocolError(
      .truncated(.untilClose),
      "the server closed the connection without ending TLS (close_notify), so a part may be missing"
    )
  )
}

/// The reason why a client's connection was not opened or ended early.
package struct DialFailure: Error, Sendable, Hashable {
  /// The symptom that any other client would have observed.
  package var symptom: Symptom
  /// The reason in a sentence.
  package var text: String

  package init(_ symptom: Symptom, _ text: String) { (self.symptom, self.text) = (symptom, text) }

  package init(_ failure: ExchangeFailure) { self.init(failure.symptom, failure.text.sentence) }
}

extension String {
  /// The text as a sentence, with a capital letter and a full stop.
  fileprivate var sentence: String { prefix(1).uppercased() + withoutFullStop.dropFirst() + "." }

  /// The sentence without its full stop.
  package var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
