/// What the windows of TCP and packet loss cost one exchange, as a client feels it: time, never
/// bytes.
///
/// The closed forms of a Linux sender with RACK, TLP and the RTO of RFC 6298 with Linux's minimum
/// of 200 ms and its timer wheel; held against a kernel for exchanges of up to a hundred segments.
/// Its limits: losses of different flights are independent of one another, an acknowledgement is
/// never lost, and bursts in bodies of more than ten segments cost a real connection up to twice
/// as much.
struct LossTimeline: Sendable, Hashable {
  /// How much later the request arrives, the handshake included.
  var request = Duration.zero
  /// How much later the head arrives.
  var firstByte = Duration.zero
  /// The pauses within the response, by the byte in front of which they fall.
  var pauses: [Pause] = []

  struct Pause: Sendable, Hashable {
    var offset: Int
    var length: Duration
  }

  /// Payload of one segment: 1500 bytes less the headers of IPv4 and of TCP with timestamps.
  static let segmentBytes = 1448
  /// Beyond this many losses in a row the connection has long timed out for the client.
  static let lossesMax = 6

  /// The numbers of packets in draws: the handshake's from 0, those of repeats from 50, and
  /// segments from 100 on without end. None can run into another.
  static let (repeatsStart, segmentsStart) = (50, 100)

  /// Works out the cost. `up` and `down` draw whether a packet of that number is lost.
  init(
    roundTrip: Duration,
    requestBytes: Int,
    responseBytes: Int,
    up: (Int) -> Bool,
    down: (Int) -> Bool
  ) {
    let sender = LossySender(roundTrip: roundTrip)
    // Packet 0 is the SYN; each lost one is sent again after 1.02 s (RFC 6298 §2.1 and the
    // kernel's timer). Packet 0 down is the SYN-ACK, which both ends repeat.
    request = .milliseconds(1020) * (0..<Self.lossesMax).prefix(while: up).count
    if down(0) { request += .milliseconds(1020) }
    request += sender.pauses(of: Self.segments(requestBytes, up), repeats: up)
      .reduce(.zero) { $0 + $1.length }
    for pause in sender.pauses(of: Self.segments(responseBytes, down), repeats: down) {
      if pause.segment == 0 {
        firstByte += pause.length
      } else {
        pauses.append(Pause(offset: pause.segment * Self.segmentBytes, length: pause.length))
      }
    }
  }

  private static func segments(_ bytes: Int, _ isLost: (Int) -> Bool) -> [Bool] {
    (0..<max(1, (bytes + segmentBytes - 1) / segmentBytes)).map { isLost(segmentsStart + $0) }
  }
}
