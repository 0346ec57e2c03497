public import Foundation

/// The values of a client's configuration, merged from three layers and validated.
public struct NetworkConfiguration: Sendable, Hashable {
  /// The name of the environment, for records.
  public var environment: String { merged.environment ?? "production" }
  /// The URL that every path is put under.
  public let baseURL: URL
  /// The limits of a call's duration.
  public let limits: CallLimits
  /// The caps on concurrent attempts.
  public let caps: TrafficCaps
  /// The header fields of every request.
  public var headers: Headers { Headers(Self.fields(merged.headers)) }
  /// The query parameters of every request, in the order of their names.
  public var parameters: [Headers.Field] { Self.fields(merged.parameters) }
  /// The terms of endpoints by their templates, which overrule their own.
  public var endpoints: [String: EndpointTerms] { merged.endpoints ?? [:] }
  /// The shares of engines by name, for a client whose transport is ``EngineShares``; `nil`: those
  /// that the transport was made with.
  public var engineShares: [String: Int]? { merged.engineShares }
  /// The links that a request may be for; `nil`: any under the base URL.
  public let links: LinkRules?
  /// The values that the app looks up by name.
  public var extras: [String: String] { merged.extras ?? [:] }
  /// The secrets by name, such as API keys; no view shows them.
  public var secrets: [String: Secret] { merged.secrets ?? [:] }
  private let merged: ConfigurationLayer

  /// Merges layers, later ones over earlier ones, and throws all problems of an invalid result at
  /// once.
  ///
  /// - Parameters:
  ///   - builtIn: The app's built-in layer, which must have a base URL.
  ///   - atLaunch: The layer of this launch.
  ///   - fetched: The layer from a server, fetched at the start.
  /// - Throws: ``ConfigurationError``.
  public init(
    builtIn: ConfigurationLayer,
    atLaunch: ConfigurationLayer = ConfigurationLayer(),
    fetched: ConfigurationLayer = ConfigurationLayer()
  ) throws(ConfigurationError) {
    let layer = builtIn.under(atLaunch).under(fetched)
    var faults: [String] = []
    let url = Self.url(layer.baseURL, &faults)
    let timeout = layer.attemptTimeoutMilliseconds ?? 15_000
    let deadline = layer.deadlineMilliseconds ?? 60_000
    let slots = layer.slots ?? TrafficCaps().total
    let perHost = layer.slotsPerHost ?? min(slots, TrafficCaps().perHost)
    faults += ConfigurationError.faults(of: [
      ("attemptTimeoutMilliseconds", timeout, 1...600_000),
      ("deadlineMilliseconds", deadline, 1...3_600_000),
      ("slots", slots, 1...64), ("slotsPerHost", perHost, 1...64),
    ])
    for (name, value) in (layer.headers ?? [:]).sorted(by: { $0.key < $1.key }) {
      if !name.isToken {
        faults.append(
          "\"headers\" has the name \"\(name)\"; a name has to be letters, digits or some of "
            + "!#$%&'*+-.^_`|~."
        )
      }
      if !value.isFieldValue {
        faults.append(
          "\"headers\" has a value of \"\(name)\" with a line feed or another control character; "
            + "leave it out."
        )
      }
    }
    let endpoints = layer.endpoints ?? [:]
    for (template, terms) in endpoints.sorted(by: { $0.key < $1.key }) {
      faults += terms.faults(of: template)
    }
    if let shares = layer.engineShares {
      faults += EngineShares.faults(of: shares).map { "\"engineShares\": \($0)" }
    }
    var links: LinkRules?
    do throws(ConfigurationError) { links = try layer.links.map(LinkRules.init) } catch {
      faults += error.faults
    }
    guard let url, faults.isEmpty else { throw ConfigurationError(faults: faults) }
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

  /// Returns this configuration for another server, such as ``DialRecord/next(after:)`` where the
  /// one that was chosen cannot be had any more.
  ///
  /// - Throws: ``ConfigurationError`` where that can be no base URL.
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

  /// Opens what ``export(sealing:)`` returned.
  ///
  /// - Parameters:
  ///   - sealed: The whole configuration, sealed.
  ///   - open: Decrypts it, such as a `VersionSeal`.
  /// - Throws: The error of `open`, that of a text that is no layer, and ``ConfigurationError``.
  public init(opening sealed: Data, by open: (Data) throws -> Data) throws {
    let layer = try JSONDecoder().decode(ConfigurationLayer.self, from: try open(sealed))
    try self.init(builtIn: layer)
  }

  /// Returns the whole configuration, secrets included, as JSON that was encrypted by `seal`;
  /// decrypted, it decodes as a ``ConfigurationLayer``.
  public func export(sealing seal: (Data) throws -> Data) throws -> Data {
    try seal(try JSONEncoder.ofRequests.encode(merged))
  }

  private static func url(_ text: String?, _ faults: inout [String]) -> URL? {
    guard let text else {
      faults.append("There is no \"baseURL\"; the built-in layer has to name one.")
      return nil
    }
    guard let url = URL(string: text), isSecure(url), url.query == nil else {
      faults.append(
        "\"baseURL\" is \"\(text)\"; it has to be https with a host and without a query."
      )
      return nil
    }
    guard url.fragment == nil else {
      faults.append("\"baseURL\" is \"\(text)\"; it has to be without a fragment.")
      return nil
    }
    return url
  }

  /// Tells whether nobody on the way can read what is sent to a URL.
  package static func isSecure(_ url: URL) -> Bool {
    guard let host = url.host, !host.isEmpty else { return false }
    let loopback = ["localhost", "127.0.0.1", "::1", "[::1]"]
    return url.scheme == "https" || (url.scheme == "http" && loopback.contains(host))
  }

  private static func fields(_ values: [String: String]?) -> [Headers.Field] {
    (values ?? [:]).sorted { $0.key < $1.key }.map { Headers.Field($0.key, $0.value) }
  }
}

/// The place of a configuration among those of several starts: what a later key has signed goes
/// before all of an earlier one, and of one key's the highest version before the others.
package struct ConfigurationRank: Sendable, Hashable, Comparable {
  /// The rank of one without a fetched layer.
  package static let builtIn = ConfigurationRank(key: -1, version: 0)

  /// The place of the key in the list of those that are built in.
  package var key: Int
  package var version: Int

  package init(key: Int, version: Int) { (self.key, self.version) = (key, version) }

  package static func < (one: ConfigurationRank, other: ConfigurationRank) -> Bool {
    (one.key, one.version) < (other.key, other.version)
  }
}

/// One of the three layers of a configuration: built in, given at launch, or fetched at the start.
/// A value that a layer leaves out is that of the earlier ones.
///
/// A layer decodes from JSON with the same names.
public struct ConfigurationLayer: Sendable, Hashable, Codable {
  /// The name of the environment, for records, such as `production`.
  public var environment: String?
  /// The URL that every path is put under.
  public var baseURL: String?
  /// The time for which one attempt may neither send nor receive a byte, in milliseconds.
  public var attemptTimeoutMilliseconds: Int?
  /// The time that a call may take, in milliseconds.
  public var deadlineMilliseconds: Int?
  /// The greatest number of concurrent attempts.
  public var slots: Int?
  /// The greatest number of concurrent attempts to one host.
  public var slotsPerHost: Int?
  /// The terms of endpoints by their templates, such as `/users/{id}`; joined with those of earlier
  /// layers, term by term.
  public var endpoints: [String: EndpointTerms]?
  /// The shares of engines by name, in proportion to each other; in place of those of earlier
  /// layers.
  public var engineShares: [String: Int]?
  /// The header fields of every request, by name; joined with those of earlier layers.
  public var headers: [String: String]?
  /// The query parameters of every request, by name; joined with those of earlier layers.
  public var parameters: [String: String]?
  /// The patterns of links, as in ``LinkPattern``: the URL of each request has to be like one of
  /// them as a whole; in place of those of earlier layers.
  public var links: [String]?
  /// The values that the app or its modules look up, by name; joined with those of earlier layers.
  public var extras: [String: String]?
  /// The secrets by name, such as API keys; joined with those of earlier layers.
  public var secrets: [String: Secret]?

  /// Makes a layer of the values that are given.
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
          // Whatever the case of its letters, a name is one name (RFC 9110 §5.1).
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

/// A value that no log, dump or public view shows.
public struct Secret: Sendable, Hashable, Codable {
  /// The value that is hidden.
  public var value: String

  /// Makes a secret of a value.
  public init(_ value: String) { self.value = value }

  /// Decodes the value from a text.
  public init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(String.self)
  }

  /// Encodes the value itself, which only an encrypted export does.
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
