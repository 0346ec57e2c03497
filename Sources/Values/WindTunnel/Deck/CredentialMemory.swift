@_spi(WindTunnel) internal import WindTunnelCore

/// The credentials that were borne in a scenario before they expired, and the lanes that have got
/// new ones.
///
/// A cassette has few credentials to give, and often one: an issuer may hand out the very one that
/// has expired. So once a lane that was refused has asked the issuer, one that was refused may come
/// with it again, and then it is a new one for everybody.
struct CredentialMemory: Sendable {
  /// The number of credentials and of lanes that are remembered; what comes later is taken for new.
  private static let valuesMax = 1 << 16

  /// The credential of a request without any.
  private static let none = Fingerprint("")

  private var old: Set<Fingerprint> = []
  /// The credentials that lanes were refused with.
  private var refused: [Lane: Fingerprint] = [:]
  /// Tells whether any lane that was refused has asked the issuer, or come with another.
  private var isRenewed = false
  /// Tells whether any has come with another, so that an old one was not given again.
  private var isReplaced = false

  /// Takes note of a request, and tells whether the credential that it bears has expired.
  ///
  /// - Parameters:
  ///   - scenario: The scenario, which says in which field it is, who issues it and when it
  ///     expires.
  ///   - request: The request. One that bears none bears the empty one.
  ///   - lane: The lane of the request.
  /// - Returns: `false` of what asks the issuer, too.
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
    // Whatever comes before anybody has renewed it is from before.
    if isRenewed, !old.contains(value) { return false }
    note(value)
    if refused.count < Self.valuesMax { refused[lane] = value }
    return true
  }

  private mutating func isRefusedAgain(_ value: Fingerprint, in lane: Lane) -> Bool {
    guard let before = refused[lane] else { return true }
    if before != value {
      // Without one it may ask for what takes none.
      guard value != Self.none else { return false }
      isRenewed = true
      // Given again, and not replaced: from now on it is a new one.
      if old.remove(value) == nil { isReplaced = true }
      return false
    }
    // It may have been another lane that asked for all.
    guard isRenewed, !isReplaced else { return old.contains(value) }
    old.remove(value)
    return false
  }

  private mutating func note(_ value: Fingerprint) {
    if old.count < Self.valuesMax { old.insert(value) }
  }
}
