/// A packet on its way between the two ends of a connection.
struct Packet: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case synchronise
    case synchroniseAcknowledge
    case data
    case acknowledgement
  }

  var kind: Kind
  /// The number of the segment; of an acknowledgement, of the next one.
  var segment = 0
  /// How many bytes of the stream end with the segment.
  var end = 0
  /// How much of the stream it holds.
  var length = 0
  /// The first segment that its sender has not got.
  var acknowledged = 0
  /// What of the later segments its sender has, the newest first (RFC 2018 §4).
  var blocks: [Range<Int>] = []
  /// What its sender has got twice (RFC 2883).
  var duplicate: Range<Int>?
  /// When it was sent (RFC 7323 §3).
  var stamp = 0
  /// The stamp that it gives back.
  var echo = 0

  /// Payload of one segment: 1500 bytes less the headers of IPv4 and of TCP with timestamps.
  static let segmentBytes = 1448
  /// Those headers.
  static let headerBytes = 52
  /// A SYN has more options.
  static let handshakeBytes = 60

  /// What it takes on the link.
  var bytes: Int {
    switch kind {
    case .synchronise, .synchroniseAcknowledge: Self.handshakeBytes
    case .data: Self.headerBytes + length
    case .acknowledgement: Self.headerBytes
    }
  }
}
