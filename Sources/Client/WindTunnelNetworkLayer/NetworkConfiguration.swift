public import Foundation

/// The values of a client's configuration, merged from three layers and validated.
public struct NetworkConfiguration: Sendable, Hashable {
  /// The name of the environment, for records.
  public var environment: String { merged.environment ?? "production" }
  /// The URL that every path is appended to.
  public let baseURL: URL
  /// The limits of a call's duration.
  public let limits: CallLimits
  /// The caps on concurrent attempts.
  public let caps: TrafficCaps
  /// The header fields of every request.
  public var headers: Headers { Headers(Self.fields(merged.headers)) }
  /// The query parameters of every request, sorted by name.
  public var parameters: [Headers.Field] { Self.fields(merged.parameters) }
  /// The terms of endpoints by their templates. They override the endpoint's own terms.
  public var endpoints: [String: EndpointTerms] { merged.endpoints ?? [:] }
  /// The shares of engines by name, for a client with an ``EngineShares`` transport.
  ///
  /// `nil` keeps the shares that the transport was created with.
  public var engineShares: [String: Int]? { merged.engineShares }
  /// The links that requests may use; `nil` allows any under the base URL.
  public let links: LinkRules?
  /// The values that the app looks up by name.
  public var extras: [String: String] { merged.extras ?? [:] }
  /// The secrets by name, such as API keys. No public view contains them.
  public var secrets: [String: Secret] { merged.secrets ?? [:] }
  private let merged: ConfigurationLayer

  /// Merges three layers and validates the result. Later layers override earlier ones.
  ///
  /// - Parameters:
  ///   - builtIn: The app's built-in layer, which must have a base URL.
  ///   - atLaunch: The layer of this launch.
  ///   - fetched: The layer from a server, fetched at the start.
  /// - Throws: ``ConfigurationError`` with all problems at once if the result is invalid.
  public init(
    builtIn: ConfigurationLayer,
    atLaunch: ConfigurationLayer = ConfigurationLayer(),
    fetched: ConfigurationLayer = ConfigurationLayer()
  ) throws(ConfigurationError) {
    let layer = builtIn.under(atLaunch).under(fetched)
    var problems: [String] = []
    let url = Self.url(layer.baseURL, &problems)
    let timeout = layer.attemptTimeoutMilliseconds ?? 15_000
    let deadline = layer.deadlineMilliseconds ?? 60_000
    let slots = layer.slots ?? TrafficCaps().total
    let perHost = layer.slotsPerHost ?? min(slots, TrafficCaps().perHost)
    problems += ConfigurationError.problems(of: [
      ("attemptTimeoutMilliseconds", timeout, 1...600_000),
      ("deadlineMilliseconds", deadline, 1...3_600_000),
      ("slots", slots, 1...64), ("slotsPerHost", perHost, 1...64),
    ])
    for (name, value) in (layer.headers ?? [:]).sorted(by: { $0.key < $1.key }) {
      if !name.isToken {
        problems.append(
          "\"headers\" has the name \"\(name)\"; a name can have letters, digits and "
            + "!#$%&'*+-.^_`|~."
        )
      }
      if !value.isFieldValue {
        problems.append(
          "\"headers\" has a value of \"\(name)\" with a line feed or another control character; "
            + "remove it."
        )
      }
    }
    let endpoints = layer.endpoints ?? [:]
    for (template, terms) in endpoints.sorted(by: { $0.key < $1.key }) {
      problems += terms.problems(of: template)
    }
    if let shares = layer.engineShares {
      problems += EngineShares.problems(of: shares).map { "\"engineShares\": \($0)" }
    }
    var links: LinkRules?
    do throws(ConfigurationError) { links = try layer.links.map(LinkRules.init) } catch {
      problems += error.problems
    }
    guard let url, problems.isEmpty else { throw ConfigurationError(problems: problems) }
    baseURL = url
    limits = CallLimits(attemptTimeout: .milliseconds(timeout), deadline: .milliseconds(deadline))
    caps = TrafficCaps(
      total: slots,
      perHost: perHost,
      perEndpoint: endpoints.compactMapValues(\.slots)
    )
    self.links = links
    merged = layer
  }

  /// The request builder of this configuration.
  public var builder: RequestBuilder {
    RequestBuilder(
      baseURL: baseURL,
      commonHeaders: headers,
      commonParameters: parameters,
      links: links
    )
  }

  /// Returns this configuration with another server as its base URL.
  ///
  /// An example is ``DialRecord/next(after:)``, if the chosen server is no longer reachable.
  ///
  /// - Throws: ``ConfigurationError`` if the URL is not a valid base URL.
  public func moved(to server: URL) throws(ConfigurationError) -> NetworkConfiguration {
    var layer = merged
    layer.baseURL = server.absoluteString
    return try NetworkConfiguration(builtIn: layer)
  }

  /// The configuration for a debug screen or a report, without the values of secrets.
  public var publicView: [String: String] {
    var view = [
      "environment": environment,
      "baseURL": baseURL.absoluteString,
      "attemptTimeout": "\(limits.attemptTimeout)",
      "deadline": limits.deadline.map { "\($0)" } ?? "none",
      "slots": "\(caps.total)",
      "slotsPerHost": "\(caps.perHost)",
    ]
    for (template, terms) in endpoints { view["endpoints.\(template)"] = terms.words }
    for (name, share) in engineShares ?? [:] { view["engineShares.\(name)"] = "\(share)" }
    for field in headers.fields { view["headers.\(field.name)"] = field.value }
    for field in parameters { view["parameters.\(field.name)"] = field.value }
    for (number, pattern) in (links?.patterns ?? []).enumerated() {
      view["links.\(number + 1)"] = pattern.text
    }
    for (name, value) in extras { view["extras.\(name)"] = value }
    for (name, secret) in secrets { view["secrets.\(name)"] = secret.description }
    return view
  }

  /// Creates a configuration from the result of ``export(sealing:)``.
  ///
  /// - Parameters:
  ///   - sealed: The whole configuration, encrypted.
  ///   - open: Decrypts the data, such as a `VersionSeal`.
  /// - Throws: The error of `open`, a decoding error, or ``ConfigurationError``.
  public init(opening sealed: Data, by open: (Data) throws -> Data) throws {
    let layer = try JSONDecoder().decode(ConfigurationLayer.self, from: try open(sealed))
    try self.init(builtIn: layer)
  }

  /// Returns the whole configuration as JSON that `seal` encrypted, secrets included.
  ///
  /// The decrypted JSON decodes as a ``ConfigurationLayer``.
  public func export(sealing seal: (Data) throws -> Data) throws -> Data {
    try seal(try JSONEncoder.ofRequests.encode(merged))
  }

  private static func url(_ text: String?, _ problems: inout [String]) -> URL? {
    guard let text else {
      problems.append("\"baseURL\" is missing; the built-in layer must have one.")
      return nil
    }
    guard let url = URL(string: text), isSecure(url), url.query == nil else {
      problems.append(
        "\"baseURL\" is \"\(text)\"; it must be https with a host and without a query."
      )
      return nil
    }
    guard url.fragment == nil else {
      problems.append("\"baseURL\" is \"\(text)\"; it must not have a fragment.")
      return nil
    }
    return url
  }

  /// Returns whether a request to this URL cannot be read in transit: HTTPS, or HTTP to this
  /// machine.
  package static func isSecure(_ url: URL) -> Bool {
    guard let host = url.host, !host.isEmpty else { return false }
    let loopback = ["localhost", "127.0.0.1", "::1", "[::1]"]
    return url.scheme == "https" || (url.scheme == "http" && loopback.contains(host))
  }

  private static func fields(_ values: [String: String]?) -> [Headers.Field] {
    (values ?? [:]).sorted { $0.key < $1.key }.map { Headers.Field($0.key, $0.value) }
  }
}

/// The order of configurations from several starts.
///
/// A later key outranks an earlier one. For the same key, a higher version outranks a lower one.
package struct ConfigurationRank: Sendable, Hashable, Comparable {
  /// The rank of a configuration without a fetched layer.
  package static let builtIn = ConfigurationRank(key: -1, version: 0)

  /// The index of the key in the list of built-in keys.
  package var key: Int
  package var version: Int

  package init(key: Int, version: Int) { (self.key, self.version) = (key, version) }

  package static func < (one: ConfigurationRank, other: ConfigurationRank) -> Bool {
    (one.key, one.version) < (other.key, other.version)
  }
}

/// One of the three layers of a configuration: built in, set at launch, or fetched at the start.
///
/// A value that is `nil` in a layer is taken from the earlier layers. A layer decodes from JSON
/// with the same names.
public struct ConfigurationLayer: Sendable, Hashable, Codable {
  /// The name of the environment, for records, such as `production`.
  public var environment: String?
  /// The URL that every path is appended to.
  public var baseURL: String?
  /// The maximum time without a byte sent or received in one attempt, in milliseconds.
  public var attemptTimeoutMilliseconds: Int?
  /// The maximum duration of a call, in milliseconds.
  public var deadlineMilliseconds: Int?
  /// The maximum number of concurrent attempts.
  public var slots: Int?
  /// The maximum number of concurrent attempts to one host.
  public var slotsPerHost: Int?
  /// The terms of endpoints by their templates, such as `/users/{id}`. They are merged with earlier
  /// layers, term by term.
  public var endpoints: [String: EndpointTerms]?
  /// The relative shares of engines by name. They replace the shares of earlier layers.
  public var engineShares: [String: Int]?
  /// The header fields of every request, by name. They are merged with earlier layers.
  public var headers: [String: String]?
  /// The query parameters of every request, by name. They are merged with earlier layers.
  public var parameters: [String: String]?
  /// The patterns of links, as in ``LinkPattern``. They replace the patterns of earlier layers.
  ///
  /// The whole URL of each request must match one of them.
  public var links: [String]?
  /// The values that the app or its modules look up, by name. They are merged with earlier layers.
  public var extras: [String: String]?
  /// The secrets by name, such as API keys. They are merged with earlier layers.
  public var secrets: [String: Secret]?

  /// Creates a layer. Omitted values are `nil`.
  public init(
    environment: String? = nil,
    baseURL: String? = nil,
    attemptTimeoutMilliseconds: Int? = nil,
    deadlineMilliseconds: Int? = nil,
    slots: Int? = nil,
    slotsPerHost: Int? = nil,
    endpoints: [String: EndpointTerms]? = nil,
    engineShares: [String: Int]? = nil,
    headers: [String: String]? = nil,
    parameters: [String: String]? = nil,
    links: [String]? = nil,
    extras: [String: String]? = nil,
    secrets: [String: Secret]? = nil
  ) {
    (self.environment, self.baseURL) = (environment, baseURL)
    self.attemptTimeoutMilliseconds = attemptTimeoutMilliseconds
    (self.deadlineMilliseconds, self.slots) = (deadlineMilliseconds, slots)
    (self.slotsPerHost, self.endpoints, self.engineShares) = (slotsPerHost, endpoints, engineShares)
    (self.headers, self.parameters, self.links, self.extras) = (headers, parameters, links, extras)
    self.secrets = secrets
  }

  /// Returns this layer with another one on top.
  package func under(_ top: ConfigurationLayer) -> ConfigurationLayer {
    ConfigurationLayer(
      environment: top.environment ?? environment,
      baseURL: top.baseURL ?? baseURL,
      attemptTimeoutMilliseconds: top.attemptTimeoutMilliseconds ?? attemptTimeoutMilliseconds,
      deadlineMilliseconds: top.deadlineMilliseconds ?? deadlineMilliseconds,
      slots: top.slots ?? slots,
      slotsPerHost: top.slotsPerHost ?? slotsPerHost,
      endpoints: Self.joined(endpoints, top.endpoints) { $0.under($1) },
      engineShares: top.engineShares ?? engineShares,
      headers: Self.joined(
        headers?.filter { field in
          // Field names are case-insensitive (RFC 9110 §5.1).
          !(top.headers ?? [:]).keys.contains { Headers.Field($0, "").isNamed(field.key) }
        },
        top.headers
      ),
      parameters: Self.joined(parameters, top.parameters),
      links: top.links ?? links,
      extras: Self.joined(extras, top.extras),
      secrets: Self.joined(secrets, top.secrets)
    )
  }

  private static func joined<Value>(
    _ one: [String: Value]?,
    _ other: [String: Value]?,
    _ join: (Value, Value) -> Value = { $1 }
  ) -> [String: Value]? {
    guard let one, let other else { return one ?? other }
    return one.merging(other, uniquingKeysWith: join)
  }
}

/// A value that logs, dumps and public views do not show.
public struct Secret: Sendable, Hashable, Codable {
  /// The secret value itself.
  public var value: String

  /// Creates a secret from a value.
  public init(_ value: String) { self.value = value }

  /// Decodes the value from a string.
  public init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(String.self)
  }

  /// Encodes the secret value itself in plain text, without redaction.
  ///
  /// Encrypt the result, as a sealed configuration does.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A placeholder without any information about the value.
  public var description: String { "(secret)" }
  /// A placeholder without any information about the value.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
