/// What packet loss costs one exchange, as TCP lets a client feel it: time, never bytes.
///
/// The closed forms of a Linux sender with RACK, TLP and the RTO of RFC 6298 with Linux's minimum
/// of 200 ms; measured against a kernel for exchanges of up to ten segments. Longer bodies are
/// counted in rounds of a growing window. Its limits: losses are independent of one another, an
/// acknowledgement is never lost, and bursts in bodies of more than ten segments cost a real
/// connection up to twice as much.
struct LossTimeline: Sendable, Hashable {
  /// How much later the request arrives, the handshake included.
  var request = Duration.zero
  /// How much later the head arrives.
  var firstByte = Duration.zero
  /// The pauses within the body, by the byte in front of which they fall.
  var pauses: [Pause] = []

  struct Pause: Sendable, Hashable {
    var offset: Int
    var length: Duration
  }

  /// Payload of one segment: 1500 bytes less the headers of IPv4 and of TCP with timestamps.
  static let segmentBytes = 1448
  /// RFC 6928.
  static let initialWindow = 10
  /// Beyond this many losses in a row the connection has long timed out for the client.
  private static let lossesMax = 6

  /// Works out the cost. `isLost` draws the fate of a packet: its direction and its number.
  init(
    roundTrip: Duration,
    requestBytes: Int,
    responseBytes: Int,
    up: (Int) -> Bool,
    down: (Int) -> Bool
  ) {
    let sender = Sender(roundTrip: roundTrip)
    // Packet 0 is the SYN; each lost one is sent again after 1.02 s (RFC 6298 §2.1 and the
    // kernel's timer). Packet 0 down is the SYN-ACK, which both ends repeat.
    request = .milliseconds(1020) * Self.run(up, from: 0, stride: 1)
    if down(0) { request += .milliseconds(1020) }
    let requestSegments = max(1, (requestBytes + Self.segmentBytes - 1) / Self.segmentBytes)
    request += sender.cost(of: (0..<requestSegments).map { up(100 + $0) }, repeats: up).total
    let segments = max(1, (responseBytes + Self.segmentBytes - 1) / Self.segmentBytes)
    let cost = sender.cost(of: (0..<segments).map { down(100 + $0) }, repeats: down)
    for pause in cost.pauses {
      if pause.segment == 0 {
        firstByte += pause.length
      } else {
        pauses.append(Pause(offset: pause.segment * Self.segmentBytes, length: pause.length))
      }
    }
  }

  private static func run(_ isLost: (Int) -> Bool, from start: Int, stride: Int) -> Int {
    (0..<lossesMax).prefix { isLost(start + $0 * stride) }.count
  }

  /// The sending side of one direction.
  private struct Sender {
    let roundTrip: Duration

    /// RTO = SRTT + max(200 ms, 4·RTTVAR) with RTTVAR = RTT/2 at first (RFC 6298 §2.2).
    var timeout: Duration { roundTrip + max(.milliseconds(200), roundTrip * 2) }
    /// A tail loss probe for one segment in flight (RFC 8985 §7.2), at most the RTO.
    var probe: Duration { min(timeout, roundTrip * 2 + .milliseconds(200)) }

    struct Cost {
      var pauses: [(segment: Int, length: Duration)] = []
      var total: Duration { pauses.reduce(.zero) { $0 + $1.length } }
    }

    func cost(of lost: [Bool], repeats: (Int) -> Bool) -> Cost {
      var cost = Cost()
      guard lost.contains(true) else { return cost }
      if lost.count == 1 {
        cost.pauses = [(0, alone(repeats))]
        return cost
      }
      var window = LossTimeline.initialWindow
      var growsFast = true
      var start = 0
      while start < lost.count {
        let end = min(lost.count, start + window)
        let round = lost[start..<end]
        if let first = round.firstIndex(of: true) {
          cost.pauses.append((first, recovery(of: round, isLast: end == lost.count)))
          window = max(2, window / 2)
          growsFast = false
        } else if !growsFast, end < lost.count {
          // Without loss slow start would have carried twice the window in this round.
          cost.pauses.append((start, roundTrip))
        }
        window = growsFast ? window * 2 : window + 1
        start = end
      }
      return cost
    }

    /// A single segment: a probe first, then the RTO once undoubled, then doubled.
    private func alone(_ repeats: (Int) -> Bool) -> Duration {
      var cost = probe
      for attempt in 0..<(LossTimeline.lossesMax - 1) where repeats(50 + attempt) {
        cost += timeout * (attempt == 0 ? 1 : 1 << attempt)
        if !repeats(51 + attempt) { break }
      }
      return cost
    }

    /// Losses within one flight: fast retransmission where later segments were acknowledged, a
    /// probe where none was.
    private func recovery(of round: ArraySlice<Bool>, isLast: Bool) -> Duration {
      let jiffies = Duration.milliseconds(8)
      guard round.contains(false) else { return roundTrip * 6 + jiffies }
      let tail = round.reversed().prefix { $0 }.count
      guard isLast, tail > 0 else {
        let above = round.reversed().prefix { !$0 }.count
        return above >= 3 ? roundTrip : roundTrip + roundTrip / 4
      }
      switch tail {
      case 1: return roundTrip + probe
      case 2: return roundTrip * 4 + jiffies
      default: return roundTrip * 5 + jiffies
      }
    }
  }
}
