internal import Foundation
internal import WindTunnel

/// The role of a connection: says what becomes of its requests.
protocol RequestHandler {
  /// The kind of the peer when it connected.
  var peerKind: PeerKind { get }

  /// Returns what becomes of a request, told by its head alone; asked once for each.
  func handle(_ head: RequestHead) -> RequestHandling

  /// Returns the answer to what is no request, or one beyond the limits; it is the connection's
  /// last.
  func refusal(_ status: Int, _ sentence: String) -> Response
}

extension RequestHandler {
  var peerKind: PeerKind { .owner }

  func refusal(_ status: Int, _ sentence: String) -> Response { .notice(status, sentence) }
}

/// The ways in which a request is handled.
enum RequestHandling {
  /// The deck decides what answers.
  ///
  /// - Parameters:
  ///   - naming: The place that the request is meant for; `nil`: the one that its host names.
  ///   - handshakes: Takes the round trips that go before the request on a link; `nil`: they are
  ///     the connection's own.
  case play(naming: OriginMapping.Naming? = nil, handshakes: (() -> Int)? = nil)
  /// The server answers by itself once the request is whole, and is handed the content where it is
  /// kept.
  case answer((Data) -> Response)
  /// The same, and the answer is the connection's last.
  case answerLast((Data) -> Response)
  /// The answer is given by the head alone and is the connection's last.
  case refuse(Response)
  /// The connection is another protocol's once the request is whole, unless the server answers by
  /// itself after all.
  case takeOver((ServedConnection) -> RequestHandling?)
}
