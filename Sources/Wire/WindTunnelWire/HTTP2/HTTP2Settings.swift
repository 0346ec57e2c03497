/// The parameters of a connection (RFC 9113 §6.5.2). Unknown parameters are ignored.
enum HTTP2Setting: Int {
  case headerTableSize = 1
  case enablePush = 2
  case maxConcurrentStreams = 3
  case initialWindowSize = 4
  case maxFrameSize = 5
  case maxHeaderListSize = 6
  /// Whether a request may have `:protocol` (RFC 8441 §3).
  case enableConnectProtocol = 8
}

/// The parameters of the peer that limit the frames of this end.
struct HTTP2PeerSettings {
  /// The initial send window of a stream.
  private(set) var initialWindow = 65_535
  /// The maximum number of streams that this end may open. It is the lowest recommended one until
  /// the peer sets another.
  private(set) var streamsMax = 100
  /// The maximum value of SETTINGS_ENABLE_PUSH.
  private let pushMax: Int
  /// Whether the next field block must begin with a dynamic table size update (RFC 7541 §4.2).
  ///
  /// Written blocks do not use a dynamic table, so the update sets its size to 0.
  var hasShrunkTable = false

  /// Creates the initial parameters of a peer. A server does not enable push (RFC 9113 §6.5.2).
  init(of role: HTTP2Role) { pushMax = role == .server ? 0 : 1 }

  /// Applies one parameter.
  ///
  /// - Throws: The connection error for an invalid value (RFC 9113 §6.5.2).
  mutating func take(_ number: Int, _ value: Int) throws(HTTP2Fault) {
    switch HTTP2Setting(rawValue: number) {
    case .headerTableSize: hasShrunkTable = hasShrunkTable || value < 4096
    case .enablePush:
      guard value <= pushMax else {
        throw .violation("SETTINGS_ENABLE_PUSH is \(value), above \(pushMax).")
      }
    case .initialWindowSize:
      guard value <= HTTP2Frame.numberMax else {
        throw .connection(.flowControlError, "SETTINGS_INITIAL_WINDOW_SIZE is above 2^31-1.")
      }
      initialWindow = value
    case .maxFrameSize:
      guard HTTP2Frame.payloadBytesMax..<1 << 24 ~= value else {
        throw .violation("SETTINGS_MAX_FRAME_SIZE is not 2^14 to 2^24-1.")
      }
    case .maxConcurrentStreams: streamsMax = value
    case .maxHeaderListSize, .enableConnectProtocol, nil: break
    }
  }
}

/// The receive window of a stream or of the connection (RFC 9113 §5.2).
struct HTTP2ReceiveWindow {
  private let size: Int
  /// The number of bytes that the client may still send.
  private var left: Int
  /// The number of bytes that were read and not yet returned to the window.
  private var read = 0

  /// Creates a window whose size the client knows.
  init(_ size: Int) { (self.size, left) = (size, size) }

  /// Counts received bytes; false if they exceed the window.
  mutating func receive(_ count: Int) -> Bool {
    left -= count
    return left >= 0
  }

  /// Counts bytes that were read.
  ///
  /// - Returns: The increment for WINDOW_UPDATE; `nil` if less than half of the window was read and
  ///   the client can still send a quarter of it.
  mutating func giveBack(_ count: Int) -> Int? {
    read += count
    guard read > 0, read * 2 >= size || left * 4 < size else { return nil }
    left += read
    return exchange(&read, with: 0)
  }
}
