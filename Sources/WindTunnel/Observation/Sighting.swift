public import WindTunnelSymptoms

/// Something that a proxy saw, when it was over.
public enum Sighting: Sendable, Hashable {
  /// A request that it could read.
  case request(SeenRequest)
  /// A tunnel, of which it saw bytes and times.
  case connection(SeenConnection)
}

/// A request as a proxy saw it.
public struct SeenRequest: Sendable, Hashable {
  /// How an answer ended.
  public enum Ending: Sendable, Hashable {
    /// The client was given all of it.
    case whole
    /// The weather broke it off.
    case cut
    /// The client left before the end.
    case clientLeft
    /// The live origin failed.
    case failed(Symptom)
    /// The proxy was ended meanwhile.
    case stopped
  }

  /// The scenario it happened in.
  public var scenario: String
  /// The method.
  public var method: String
  /// What was asked for. A report shows neither its query nor its user.
  public var url: RequestURL
  /// What was answered; `nil` where no status went out.
  public var status: Int?
  /// The content that went to the client.
  public var bytes: Int
  /// From the end of the request to the last byte of the answer, as far as the proxy had handed it
  /// over.
  public var latency: Duration
  /// How it ended.
  public var ending: Ending
  /// Whether the cassette answered, or said that it does not.
  public var isFromTape: Bool

  /// Makes a sighting.
  public init(
    scenario: String,
    method: String,
    url: RequestURL,
    status: Int?,
    bytes: Int,
    latency: Duration,
    ending: Ending,
    isFromTape: Bool
  ) {
    self.scenario = scenario
    self.method = method
    self.url = url
    self.status = status
    self.bytes = bytes
    self.latency = latency
    self.ending = ending
    self.isFromTape = isFromTape
  }
}

/// A tunnel as a proxy saw it, when it was closed.
public struct SeenConnection: Sendable, Hashable {
  /// How a tunnel ended.
  public enum Ending: Sendable, Hashable {
    /// Both ends closed in good order.
    case closed
    /// The client aborted it.
    case clientReset
    /// The origin aborted it.
    case originReset
    /// The weather broke it off.
    case cut
    /// It was not opened: the `CONNECT` was answered so.
    case refused(Int)
    /// The origin could not be reached.
    case failed(Symptom)
    /// It should have been opened, and the client does not trust who vouches for its end.
    case certificateRefused
    /// It should have been opened, and the handshake failed: half a sentence says how.
    case handshakeFailed(String)
    /// Nothing passed for too long, or it lasted too long.
    case expired
    /// The proxy was ended.
    case stopped
  }

  /// The scenario it began in.
  public var scenario: String
  /// Where it led, `host:port`.
  public var authority: String
  /// How long connecting took, the link's part included; `nil` where it was not opened.
  public var connect: Duration?
  /// The bytes that came from the client.
  public var bytesUp: Int
  /// The bytes that went to the client.
  public var bytesDown: Int
  /// From the `CONNECT` to the end.
  public var duration: Duration
  /// How it ended.
  public var ending: Ending

  /// Makes a sighting.
  public init(
    scenario: String,
    authority: String,
    connect: Duration?,
    bytesUp: Int,
    bytesDown: Int,
    duration: Duration,
    ending: Ending
  ) {
    self.scenario = scenario
    self.authority = authority
    self.connect = connect
    self.bytesUp = bytesUp
    self.bytesDown = bytesDown
    self.duration = duration
    self.ending = ending
  }
}
