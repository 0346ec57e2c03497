extension Observation {
  /// The ways in which a call meets a server that says other things than it must at an app's start.
  public enum RogueResponse: String, Sendable, Hashable, CaseIterable {
    /// The call returned nothing that the server had said.
    case refused
    /// The call returned what the server had said, and had not probed it.
    case shown
    /// The call returned what the server had said, also to its probe.
    case shownDespiteProbe
  }

  /// The versions of an app's configuration that a call met, each once, and those that its requests
  /// went by: what a client says in a field, or a request that only one version leads to.
  public struct ConfigurationUse: Sendable, Hashable {
    /// The version that the app had kept of its last launch; `nil` where it had none.
    public var kept: Int?
    /// Tells whether the client's command names the file of that one.
    public var isGiven: Bool
    /// The versions that came as they were signed, to this call or to one that began before it.
    public var signed: [Int]
    /// The versions that stood in what came changed, which nobody has signed.
    public var changed: [Int]
    /// The versions that requests of the call itself went by.
    public var used: [Int]

    /// Makes one of the versions of each kind.
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

    /// The versions that it can have from changed texts alone.
    var unsigned: [Int] { changed.filter { !signed.contains($0) && $0 != kept } }

    /// The versions that were served and are older than the one that its client was given; `nil`
    /// where it was given none.
    var older: [Int]? {
      guard isGiven, let kept else { return nil }
      return signed.filter { $0 < kept }
    }
  }
}

extension Observation.ConfigurationUse: JSONObject {
  /// The greatest version that is told.
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
