package import WindTunnel

/// A line of a console's list: a request, a tunnel, or a connection that failed, as it stands now.
package struct ConsoleRow: Sendable, Hashable {
  /// The kinds of lines in a list.
  package enum Kind: String, Sendable, Hashable { case request, tunnel, connection }

  /// The number of the line, which grows from one to the next.
  package var id: Int
  /// The kind of the line.
  package var kind: Kind
  /// The time at which it began, from the start of the console.
  package var at: Duration
  /// The number of the segment that it belongs to.
  package var segment: Int
  /// The method, or what stands in its place.
  package var method: String
  /// The address without its secrets.
  package var url: String
  /// The number of the call that it is an attempt of; `nil` where nobody counts calls.
  package var call: String?
  /// The address of the client, where a proxy serves several.
  package var client: String?
  /// The name of what was dealt, such as `recording`; `nil` where nothing was.
  package var take: String?
  /// The number of the interaction on the cassette, from 1.
  package var interaction: Int?
  /// The ordinal among equal requests of a lane, from 1.
  package var ordinal = 1
  /// The ordinal among equal requests of one call or client since the last that was answered well,
  /// from 1.
  package var attempt = 1
  /// The time since the attempt before ended.
  package var gap: Duration?
  /// The faults that were decided, each in words.
  package var faults: [String] = []
  /// The faults that were not done, a sentence each.
  package var notDone: [String] = []
  /// The status that was sent.
  package var status: Int?
  /// The bytes of content that were sent.
  package var bytes: Int?
  /// The time from the beginning to the first byte of the answer.
  package var firstByte: Duration?
  /// The time from the beginning to the end.
  package var latency: Duration?
  /// The way in which it ended; `nil` while it is under way.
  package var ending: String?
  /// Tells whether it is a conversation.
  package var isConversation = false

  /// Makes a line of what is always known.
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

  /// The line in JSON; times are milliseconds.
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
