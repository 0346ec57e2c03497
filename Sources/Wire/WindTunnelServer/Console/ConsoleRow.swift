package import WindTunnel

/// A row of a console's list: the current state of a request, a tunnel, or a failed connection.
package struct ConsoleRow: Sendable, Hashable {
  /// The kinds of rows in a list.
  package enum Kind: String, Sendable, Hashable { case request, tunnel, connection }

  /// The number of the row, which increases from row to row.
  package var id: Int
  /// The kind of the row.
  package var kind: Kind
  /// The start time, relative to the start of the console.
  package var at: Duration
  /// The number of its segment.
  package var segment: Int
  /// The method, or another word for rows without one.
  package var method: String
  /// The address without its secrets.
  package var url: String
  /// The number of the call to which this attempt belongs; `nil` if calls are not counted.
  package var call: String?
  /// The address of the client, if a proxy serves several.
  package var client: String?
  /// The name of the source, such as `recording`; `nil` if there is none.
  package var take: String?
  /// The number of the interaction on the cassette, from 1.
  package var interaction: Int?
  /// The ordinal among equal requests of a lane, from 1.
  package var ordinal = 1
  /// The ordinal among equal requests of one call or client since the last success, from 1.
  package var attempt = 1
  /// The time since the previous attempt ended.
  package var gap: Duration?
  /// Descriptions of the decided faults.
  package var faults: [String] = []
  /// A sentence for each fault that was not executed.
  package var notDone: [String] = []
  /// The status that was sent.
  package var status: Int?
  /// The number of content bytes that were sent.
  package var bytes: Int?
  /// The time from the start to the first byte of the response.
  package var firstByte: Duration?
  /// The time from the start to the end.
  package var latency: Duration?
  /// The way in which the exchange ended; `nil` while it is in progress.
  package var ending: String?
  /// Whether it is a WebSocket conversation.
  package var isConversation = false

  /// Creates a row from the values that are always known.
  package init(
    id: Int,
    _ kind: Kind = .request,
    at: Duration,
    segment: Int,
    _ method: String,
    _ url: String
  ) {
    (self.id, self.kind, self.at, self.segment) = (id, kind, at, segment)
    (self.method, self.url) = (method, url)
  }

  /// The row as JSON; times are in milliseconds.
  package var json: JSON {
    [
      "id": .number(id), "kind": .text(kind.rawValue), "at": .milliseconds(at),
      "segment": .number(segment), "call": .orNull(call), "client": .orNull(client),
      "method": .text(method), "url": .text(url), "source": .orNull(take),
      "interaction": .orNull(interaction), "ordinal": .number(ordinal),
      "attempt": .number(attempt), "gap": .orNull(gap), "faults": .texts(faults),
      "notDone": .texts(notDone), "status": .orNull(status), "bytes": .orNull(bytes),
      "firstByte": .orNull(firstByte), "latency": .orNull(latency), "ending": .orNull(ending),
      "conversation": .bool(isConversation),
    ]
  }
}
