internal import Foundation
internal import WindTunnelSymptoms

extension Delivery {
  /// Lowers what was decided for a tunnel to steps.
  ///
  /// What a body is to an answer, the bytes to the client are to a tunnel: offsets count them. An
  /// answer to the `CONNECT` other than the live origin's ends the connection.
  public init(_ tunnel: TunnelDecision) {
    var steps: [Step] = [.await(.requestEnd)]
    // What the handshake of a connection without a proxy would have waited for.
    let opening = tunnel.path.map { $0.opening() } ?? .zero
    var wait = opening ?? .zero
    var ending: [Step]? = opening == nil ? [.stall] : nil
    var offset: Int?
    func cut(_ count: Int?, _ step: Step) {
      if ending != nil, (offset ?? -1) <= (count ?? -1) { return }
      (offset, ending) = (count, [step])
    }
    for fault in tunnel.decision.faults {
      switch fault {
      case .delay(let spread): wait += spread.least
      case .status(let status, let retryAfter):
        guard ending == nil else { continue }
        ending = Self.refusal(status, retryAfter?.values(now: nil) ?? [])
      case .reset(let count): cut(count, .reset)
      case .close: cut(nil, .close)
      case .stall(let count): cut(count, .stall)
      case .truncate(let count): cut(count, .close)
      case .cut(let wanted):
        guard let count = wanted.tunnelOffset else { continue }
        switch wanted.ending {
        case .reset: cut(count, .reset)
        case .close, .halfClose: cut(count, .close)
        case .stall(nil): cut(count, .stall)
        // What passes is not held back and let go again.
        case .stall: continue
        }
      case .connection(.tls(let fault)):
        guard ending == nil else { continue }
        ending = [.head(Self.established)] + Delivery(handshake: fault).steps
      // Nobody can read what it would change.
      case .mutate, .alter, .answer, .malformed, .dribble, .idle: continue
      // A proxy sees these as its own (``Fault/behindProxy``).
      case .connection: cut(nil, .reset)
      }
    }
    if let failure = tunnel.failure, ending == nil || offset != nil {
      (offset, ending) = (nil, Self.refusal(failure))
    }
    if wait > .zero { steps.append(.wait(wait)) }
    guard let ending else {
      self.init(steps + [.relay], afterwards: .close)
      return
    }
    let relay = offset.map { [Step.relayUntil(downBytes: $0)] } ?? []
    self.init(steps + relay + ending, afterwards: ending.last == .reset ? .reset : .close)
  }

  /// What says that a tunnel is open: without content or length (RFC 9110 §9.3.6).
  public static let established = ResponseHead(status: 200)

  private static func refusal(_ failure: Failure) -> [Step] {
    refusal(502, [], "The tunnel failed when it was recorded: \(failure.symptom.rawValue).\n")
  }

  private static func refusal(_ status: Int, _ retryAfter: [String]) -> [Step] {
    refusal(status, retryAfter, "This \(status) was injected.\n")
  }

  private static func refusal(_ status: Int, _ retryAfter: [String], _ text: String) -> [Step] {
    let text = Data(text.utf8)
    var head = ResponseHead(
      status: status,
      headers: [
        "Content-Type": "text/plain; charset=utf-8", "Content-Length": String(text.count),
        "Connection": "close",
      ]
    )
    for value in retryAfter { head.headers.append("Retry-After", value) }
    return [.head(head), .bytes(.data(text)), .close]
  }
}
