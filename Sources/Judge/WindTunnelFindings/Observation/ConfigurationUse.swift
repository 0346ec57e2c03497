extension Observation {
  /// The reactions of a call to a server that sends wrong responses at an app's start.
  public enum RogueResponse: String, Sendable, Hashable, CaseIterable {
    /// The call returned no response of the server.
    case refused
    /// The call returned a response of the server, which it had not probed.
    case shown
    /// The call returned a response of the server, although its probe was wrong, too.
    case shownDespiteProbe
  }

  /// The versions of an app's configuration that a call received and used, each once. A request
  /// shows its version by a header field, or because only that version leads to it.
  public struct ConfigurationUse: Sendable, Hashable {
    /// The version that the app had kept from its last launch, or `nil` if it had none.
    public var kept: Int?
    /// Whether the client's command names the file of the kept version.
    public var isGiven: Bool
    /// The versions that this call or an earlier one received with a valid signature.
    public var signed: [Int]
    /// The versions in changed configurations, whose signature is invalid.
    public var changed: [Int]
    /// The versions that requests of the call used.
    public var used: [Int]

    /// Creates a use from the versions of each kind.
    public init(
      kept: Int? = nil,
      isGiven: Bool = false,
      signed: [Int] = [],
      changed: [Int] = [],
      used: [Int] = []
    ) {
      (self.kept, self.isGiven) = (kept, isGiven)
      (self.signed, self.changed, self.used) = (signed, changed, used)
    }

    /// The versions that the call can only have from changed configurations.
    var unsigned: [Int] { changed.filter { !signed.contains($0) && $0 != kept } }

    /// The versions that were served and are older than the kept one; `nil` if the client did not
    /// receive the kept one.
    var older: [Int]? {
      guard isGiven, let kept else { return nil }
      return signed.filter { $0 < kept }
    }
  }
}

extension Observation.ConfigurationUse: JSONObject {
  /// The maximum version that is reported.
  package static let versionMax = Int(Int32.max)
  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.int("kept", &kept, in: 0...Self.versionMax)
    try fields.flag("given", &isGiven)
    try fields.numbers("signed", &signed, "version", max: Self.versionMax)
    try fields.numbers("changed", &changed, "version", max: Self.versionMax)
    try fields.numbers("used", &used, "version", max: Self.versionMax)
  }
}
