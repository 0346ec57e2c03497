/// One of the three layers that a configuration is made of: what is built in, what is given at
/// launch, and what is fetched at the start. What a layer leaves out is the earlier ones' to say.
///
/// Decodes from JSON with the same names.
public struct ConfigurationLayer: Sendable, Hashable, Codable {
  /// A name for records, as in `production`.
  public var environment: String?
  /// What every path is put under.
  public var baseURL: String?
  /// How long one attempt may stay silent, in milliseconds.
  public var attemptTimeoutMilliseconds: Int?
  /// How long a call may take, in milliseconds.
  public var deadlineMilliseconds: Int?
  /// How many attempts may be under way at once.
  public var slots: Int?
  /// Fields of every request, by name; joined with those of earlier layers.
  public var headers: [String: String]?
  /// Parameters in the query of every request, by name; joined with those of earlier layers.
  public var parameters: [String: String]?
  /// What the app or its other modules look up, by name; joined with those of earlier layers.
  public var extras: [String: String]?
  /// Keys and the like, by name; joined with those of earlier layers.
  public var secrets: [String: Secret]?

  /// Makes a layer; what is not given is left out.
  public init(
    environment: String? = nil,
    baseURL: String? = nil,
    attemptTimeoutMilliseconds: Int? = nil,
    deadlineMilliseconds: Int? = nil,
    slots: Int? = nil,
    headers: [String: String]? = nil,
    parameters: [String: String]? = nil,
    extras: [String: String]? = nil,
    secrets: [String: Secret]? = nil
  ) {
    self.environment = environment
    self.baseURL = baseURL
    self.attemptTimeoutMilliseconds = attemptTimeoutMilliseconds
    self.deadlineMilliseconds = deadlineMilliseconds
    self.slots = slots
    self.headers = headers
    self.parameters = parameters
    self.extras = extras
    self.secrets = secrets
  }

  /// This layer with another one on top.
  func under(_ top: ConfigurationLayer) -> ConfigurationLayer {
    ConfigurationLayer(
      environment: top.environment ?? environment,
      baseURL: top.baseURL ?? baseURL,
      attemptTimeoutMilliseconds: top.attemptTimeoutMilliseconds ?? attemptTimeoutMilliseconds,
      deadlineMilliseconds: top.deadlineMilliseconds ?? deadlineMilliseconds,
      slots: top.slots ?? slots,
      headers: Self.joined(headers, top.headers),
      parameters: Self.joined(parameters, top.parameters),
      extras: Self.joined(extras, top.extras),
      secrets: Self.joined(secrets, top.secrets)
    )
  }

  private static func joined<Value>(
    _ one: [String: Value]?,
    _ other: [String: Value]?
  ) -> [String: Value]? {
    guard let one, let other else { return one ?? other }
    return one.merging(other) { $1 }
  }
}
