internal import Foundation
internal import WindTunnelSymptoms

/// What the deck decided for one tunnel (`CONNECT`, RFC 9110 §9.3.6).
public struct TunnelDecision: Sendable, Hashable {
  /// What goes wrong; its key is `CONNECT host:port`.
  public var decision: Decision
  /// The link and the fates of its packets; `nil`: as fast as it goes.
  public var path: LinkPath?
  /// The scenario that it was decided in.
  public var scenario: String
  /// Whether the host is one that the cassette answers for, so that the live one must not be asked.
  public var isOnTape: Bool
  /// Whether the proxy looks into it, so that its requests are decided one by one.
  public var isOpened: Bool
  /// How it failed when it was recorded; `nil` where that is not on the cassette.
  public var failure: Failure?
  /// Under which number its failure is kept; `nil` where nothing is recorded.
  var ticket: Int?
}

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
    for part in tunnel.decision.faults.compactMap(\.tunnelPart) {
      switch part {
      case .wait(let length): wait += length
      case .refusal(let status, let retryAfter):
        guard ending == nil else { continue }
        ending = Self.refusal(status, retryAfter?.values(now: nil) ?? [])
      case .end(let count, let effect):
        switch effect {
        case .reset: cut(count, .reset)
        case .close, .halfClose: cut(count, .close)
        case .stall: cut(count, .stall)
        }
      case .handshake(let fault):
        guard ending == nil else { continue }
        ending = [.head(Self.established)] + Delivery(handshake: fault).steps
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
