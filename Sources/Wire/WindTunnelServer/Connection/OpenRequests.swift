internal import Foundation
internal import WindTunnel

/// A request that is being received.
struct IncomingRequest {
  let stream: Int
  let head: RequestHead
  let arrival: RequestArrival
  let handling: RequestHandling
  var body = Spool()
}

/// A response that is being sent.
struct OutgoingResponse {
  let stream: Int
  let writer: ResponseWriter
  /// The rest of its request; `nil` if the request is whole.
  var upload: StreamedContent?
}

/// The streams that have no writer but are still open for the client, and the end of the connection
/// that waits for them.
struct OpenStreams {
  /// The streams whose responses wait in the codec.
  var undelivered: Set<Int> = []
  /// The streams whose responses have stalled. They stay open.
  var stalled: Set<Int> = []
  /// The end of the connection after its open responses; `nil` if it continues.
  var ending: IdleEnd.CloseMethod?
  /// The stream whose fault ends the connection, once its content is sent.
  var cut: Int?
  /// The end of the connection when no request is open; `nil` if it continues.
  var idleEnd: IdleEnd?
  /// The end of the connection at its next request; `nil` if that request is served.
  var nextRequestEnds: IdleEnd.CloseMethod?
  /// Whether a response may wait for the client's windows or for the channel.
  var hasWaiting = false
  /// Whether ``ServedRequests/flush()`` is running.
  var isFlushing = false

  mutating func remove(_ stream: Int) {
    undelivered.remove(stream)
    stalled.remove(stream)
  }
}
