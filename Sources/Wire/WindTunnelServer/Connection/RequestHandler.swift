internal import Foundation
internal import WindTunnel

/// The role of a connection, which decides how its requests are handled.
protocol RequestHandler {
  /// The kind of the peer at the start of the connection.
  var peerKind: PeerKind { get }

  /// Returns how to handle a request, according to its head. Called once for each request.
  func handle(_ head: RequestHead) -> RequestHandling

  /// Returns the response to an invalid request or to one above a limit. It is the connection's
  /// last response.
  func refusal(_ status: Int, _ sentence: String) -> Response
}

extension RequestHandler {
  var peerKind: PeerKind { .owner }

  func refusal(_ status: Int, _ sentence: String) -> Response { .notice(status, sentence) }
}

/// The handling of a request.
enum RequestHandling {
  /// The deck decides the response.
  ///
  /// - Parameters:
  ///   - naming: The destination of the request; `nil` if its host determines it.
  ///   - handshakes: Returns the round trips before the request on a link, and counts them; `nil`
  ///     if they are the connection's own.
  case play(naming: OriginMapping.Naming? = nil, handshakes: (() -> Int)? = nil)
  /// The server itself responds when the request is complete. The closure receives the content, if
  /// it is kept.
  case answer((Data) -> Response)
  /// As `answer`, and the response is the connection's last.
  case answerLast((Data) -> Response)
  /// The response is sent after the head, and is the connection's last.
  case refuse(Response)
  /// Another protocol takes over the connection when the request is complete, unless the closure
  /// returns another handling.
  case takeOver((ServedConnection) -> RequestHandling?)
}
