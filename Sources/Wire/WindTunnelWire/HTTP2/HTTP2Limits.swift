/// The limits of one HTTP/2 connection, in addition to ``Limits``.
///
/// Fields are limited by `headerBytesMax` and `headerFieldsMax`, content by `bodyBytesMax`, as over
/// HTTP/1.1. A peer that exceeds a limit of the connection receives GOAWAY with
/// ENHANCE_YOUR_CALM.
package struct HTTP2Limits: Sendable, Hashable {
  /// The maximum number of open streams (SETTINGS_MAX_CONCURRENT_STREAMS). Further requests are
  /// refused with REFUSED_STREAM.
  ///
  /// nghttpd: 100; Go: 250; h2o: 256.
  package var concurrentStreamsMax = 256
  /// The flow-control window of each stream: the number of bytes of content that a client may send
  /// before they are read.
  ///
  /// Go's server: 1 MiB; nghttpd: 64 KiB.
  package var streamWindowBytes = 256 * 1024
  /// The flow-control window of the connection: the number of bytes of content that a client may
  /// send on all streams before they are read. Content that tunnels have not used stays within it.
  ///
  /// Go's server: 1 MiB; nghttpd: 64 KiB.
  package var connectionWindowBytes = 1024 * 1024
  /// The maximum number of CONTINUATION frames of a field block, which bounds the block to 144 KiB
  /// (CVE-2024-27316).
  ///
  /// nghttp2: 8; swift-nio-http2: 5.
  package var continuationsMax = 8
  /// The number of streams that may be reset at once, by the client or because of its errors
  /// (CVE-2023-44487, CVE-2025-8671).
  ///
  /// nghttp2: 1,000 at once, and 33 per second.
  package var resetsMax = 1_000
  /// The number of further resets per second.
  package var resetsPerSecond = 100
  /// The maximum number of acknowledgements and resets that the client leaves unread
  /// (CVE-2019-9512, CVE-2019-9515).
  ///
  /// nghttp2: 1,000.
  package var unsentFramesMax = 1_000
  /// The maximum number of consecutive DATA frames without content and without END_STREAM
  /// (CVE-2019-9518).
  ///
  /// swift-nio-http2: 1.
  package var emptyDataMax = 100
  /// The maximum number of parameters in a SETTINGS frame.
  ///
  /// nghttp2: 32.
  package var settingsMax = 32
  /// The maximum number of interim responses (RFC 9110 §15.2) on a stream.
  package var interimResponsesMax = 1_000
  /// The maximum number of reset streams that are remembered, so that late frames are not errors.
  package var resetStreamsKept = 1_024

  package init() {}
}

/// The role of an end of a connection.
package enum HTTP2Role: Sendable, Hashable { case client, server }

/// The number of resets that a client may still cause. It grows with time, up to a maximum.
struct HTTP2ResetBudget {
  private var left: Int
  private let most: Int
  private let nanosecondsEach: Int64
  private var counted: Moment

  init(_ limits: HTTP2Limits, at now: Moment) {
    (left, most, counted) = (limits.resetsMax, limits.resetsMax, now)
    nanosecondsEach = 1_000_000_000 / Int64(max(1, limits.resetsPerSecond))
  }

  /// Counts a reset; false if there were too many.
  mutating func spend(at now: Moment) -> Bool {
    let more = Int((now - counted) / nanosecondsEach)
    if more > 0 {
      left = min(most, left + more)
      counted = left == most ? now : counted + Int64(more) * nanosecondsEach
    }
    left -= 1
    return left >= 0
  }
}
