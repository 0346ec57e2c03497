@_spi(WindTunnel) internal import WindTunnelCore

/// The credentials that were used in a scenario before they expired, and the lanes that have new
/// ones.
///
/// A cassette often has only one credential, so the issuer may return the expired one again. After
/// a refused lane has sent a request to the issuer, a refused request may repeat its old
/// credential. The credential then counts as new for all lanes.
struct CredentialMemory: Sendable {
  /// The maximum number of credentials and of lanes that are kept; later credentials count as new.
  private static let valuesMax = 1 << 16

  /// The credential of a request without one.
  private static let none = Fingerprint("")

  private var old: Set<Fingerprint> = []
  /// The credentials with which lanes were refused.
  private var refused: [Lane: Fingerprint] = [:]
  /// Whether a refused lane has sent a request to the issuer, or sent another credential.
  private var isRenewed = false
  /// Whether a lane has sent another credential, so the issuer did not return the old one again.
  private var isReplaced = false

  /// Records a request, and returns whether its credential has expired.
  ///
  /// - Parameters:
  ///   - scenario: The scenario, with the credential's field, its issuer and the time of expiry.
  ///   - request: The request. Without a credential it counts as having an empty one.
  ///   - lane: The lane of the request.
  /// - Returns: `false` also for a request to the issuer.
  mutating func hasExpired(_ scenario: Scenario, _ request: Request, in lane: Lane) -> Bool {
    guard let credential = scenario.credential, let expiry = scenario.expiry else { return false }
    if credential.issuer.matches(request) {
      if refused[lane] != nil { isRenewed = true }
      return false
    }
    guard expiry.request?.matches(request) != false else { return false }
    let value = Fingerprint(request.headers.values(credential.field).joined(separator: "\n"))
    if let calls = expiry.calls, !calls.contains(lane) {
      if let call = lane.call, call < calls.start { note(value) }
      return false
    }
    if refused[lane] != nil { return isRefusedAgain(value, in: lane) }
    // Until a lane has renewed its credential, every credential is an old one.
    if isRenewed, !old.contains(value) { return false }
    note(value)
    if refused.count < Self.valuesMax { refused[lane] = value }
    return true
  }

  private mutating func isRefusedAgain(_ value: Fingerprint, in lane: Lane) -> Bool {
    guard let before = refused[lane] else { return true }
    if before != value {
      // A request without a credential may be for a resource that needs none.
      guard value != Self.none else { return false }
      isRenewed = true
      // The issuer returned the old credential instead of a new one, so it counts as new.
      if old.remove(value) == nil { isReplaced = true }
      return false
    }
    // Another lane may have sent the request to the issuer for all lanes.
    guard isRenewed, !isReplaced else { return old.contains(value) }
    old.remove(value)
    return false
  }

  private mutating func note(_ value: Fingerprint) {
    if old.count < Self.valuesMax { old.insert(value) }
  }
}
