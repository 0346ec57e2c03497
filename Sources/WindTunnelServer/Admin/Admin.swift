public import WindTunnel

/// A server's second port, by which it is asked what it received and told how to go on.
///
/// It listens to the loopback interface alone and answers JSON:
///
/// | | | |
/// |---|---|---|
/// | `GET` | `/health` | `{"status": "ok", "scenario", "interactions", "uptimeSeconds"}` |
/// | `GET` | `/requests` | `{"requests": […], "dropped", "next"}`; by `method`, `path`, `since`, `status`, `take`, `limit` |
/// | `GET` | `/interactions` | `{"interactions": [{"number", "request", "status", "plays"}]}` |
/// | `POST` | `/verify` | `{"request", "times"}` or `{"inOrder"}` → `{"passed", "asked", "seen"}` |
/// | `POST` | `/reset` | forgets requests, plays and ordinals; 204 |
/// | `GET` | `/scenario` | `{"seed", "shipped", "scenario"}` |
/// | `PUT` | `/scenario` | `{"name", "seed"}` or a whole scenario: it is flown from the next request on |
/// | `GET` | `/metrics` | Prometheus text |
///
/// Requests are told without secrets: what a recording would replace in an address is replaced here.
///
/// A question that makes no sense is answered by 400 and `{"error"}` in a sentence. Who was led here
/// by a name that is not this machine's, or by a page of another origin, gets 403.
public struct Admin: Sendable {
  /// The port; 0 for any that is free.
  public var port = 0
  /// The scenarios that can be asked for by their names.
  public var scenarios: [Scenario] = []
  /// The reason why a scenario cannot be flown here, in a sentence; `nil` where it can.
  public var refusal: (@Sendable (Scenario) -> String?)?
  /// Told of each scenario that was asked for, before its first request.
  public var swapped: (@Sendable (Scenario) -> Void)?

  /// The defaults.
  public init() {}

  /// The limits of a peer: a scenario is the largest thing that the port is told.
  static let limits: Limits = {
    var limits = Limits()
    limits.bodyBytesMax = Scenario.fileBytesMax
    limits.connectionsMax = 64
    return limits
  }()
}
