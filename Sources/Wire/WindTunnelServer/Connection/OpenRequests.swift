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

extension [IncomingRequest] {
  /// Appends content to a request. If the requests then have more than the limit in memory
  /// (`Spool.memoryBytesMax`), the largest contents are moved to files.
  mutating func append(_ data: Data, at index: Int) {
    self[index].body.append(data)
    while reduce(0, { $0 + $1.body.memoryBytes }) > Spool.memoryBytesMax,
      let largest = indices.max(by: { self[$0].body.memoryBytes < self[$1].body.memoryBytes }),
      self[largest].body.moveToFile()
    {}
  }
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
  /// Whether a timer is set for the next turn to read.
  var hasReadTimer = false
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
  /// The streams that may carry, or carry, another protocol.
  var tunnels: [Int: StreamTunnel] = [:]
  /// The protocols of the tunnels, until each has ended. Bytes of a stream that was reset may still
  /// be on the link.
  var successors: [Int: any ConnectionSuccessor] = [:]
  /// Whether a timer is set for responses that the client does not accept.
  var isWatchingWaits = false
  /// The next time at which bytes may arrive over the link that the responses share; `nil` if none
  /// is known.
  var linkWake: Duration?
  /// The timer of ``linkWake``.
  var linkTimer: Reactor.Timer?
  /// Whether the connection waits for its next turn to read, or until its client has read.
  var isReadingLater = false
  /// Whether ``ServedRequests/flush()`` is running.
  var isFlushing = false

  /// Whether a tunnel has a protocol that has not ended.
  var isConversing: Bool { !tunnels.isEmpty && tunnels.values.contains(where: \.isConversing) }
}
