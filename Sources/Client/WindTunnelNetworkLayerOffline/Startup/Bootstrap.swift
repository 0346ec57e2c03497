public import Foundation
public import WindTunnelNetworkLayer

/// The start of an app: it merges its built-in, launch and fetched configuration layers.
///
/// The last good configuration is stored for the next start.
///
/// ```swift
/// let bootstrap = Bootstrap(
///   builtIn: ConfigurationLayer(baseURL: "https://api.example.test"),
///   fetching: .init(url: source, publicKeys: [publicKey]),
///   keptIn: folder.appending(path: "configuration"),
///   keysAt: try FileKeyPlace(directory: folder)
/// )
/// let startup = try await bootstrap.launch(by: URLSessionTransport(session: session))
/// ```
///
/// A fetched configuration is signed with a built-in key, has an increasing version, and expires.
/// If it is invalid, late, too long, replayed or from another source, it is not applied. The app
/// then continues with the last good configuration, or without a fetched one, and the observer
/// receives the reason. Nothing is fetched if the system has no cryptography, or if the key store
/// must not be trusted. The observer receives that as well. Each request is unconditional, so a 304
/// is refused like any status other than 200.
///
/// The last good configuration is encrypted for one version of app and layer. After an update the
/// built-in one is used until another is fetched. The key store contains the latest time of a
/// start, to within an hour. An expired configuration therefore stays expired if the clock is set
/// back. If the clock was ahead at one start, the known configuration may therefore be lost, until
/// one with a later expiry is fetched.
public struct Bootstrap: Sendable {
  /// The maximum length of a fetched configuration with its signature, in bytes.
  public static let fetchedBytesMax = 256 << 10

  /// The server from which configurations are fetched.
  public struct Source: Sendable, Hashable {
    /// The URL of the configuration. The facts of the launch are added as query parameters.
    public var url: URL
    /// The built-in Ed25519 public keys of 32 bytes each, from the oldest to the newest.
    ///
    /// One of them must have signed a configuration. Versions are counted for each key. A second
    /// key lets the publisher change keys, even after the first one leaked. A device that has
    /// accepted a configuration of the second key refuses all of the first.
    ///
    /// A signature is valid for every source that has the key, so each source needs its own keys.
    public var publicKeys: [Data]
    /// The time that a start waits for a response. With zero only a refresh sends a request.
    public var budget: Duration

    /// Creates a source; by default a start waits 2 s for it.
    public init(url: URL, publicKeys: [Data], budget: Duration = .seconds(2)) {
      (self.url, self.publicKeys, self.budget) = (url, publicKeys, budget)
    }
  }

  /// The maximum time without received bytes while a configuration is fetched.
  private static let longestSilence = Duration.seconds(15)

  private let builtIn: ConfigurationLayer
  private let atLaunch: ConfigurationLayer
  private let facts: LaunchFacts
  private let source: Source?
  private let file: URL
  private let place: any KeyPlace
  private let cipher: @Sendable (Data) throws(SealingError) -> any AEAD
  private let dialTest: DialTest?
  private let observer: any Observer
  private let time: any TimeSource

  /// Creates a start from its parts.
  ///
  /// - Parameters:
  ///   - builtIn: The app's built-in layer, which must have a base URL.
  ///   - facts: The facts of this launch.
  ///   - atLaunch: The layer of this launch, in addition to its facts.
  ///   - source: The server of configurations; `nil` to fetch nothing.
  ///   - file: The file of the last good configuration, in an existing directory.
  ///   - place: The store of the key that encrypts the file, and of the highest known versions.
  ///   - cipher: Creates a cipher from a key of 32 bytes; by default AES-256-GCM.
  ///   - dialTest: The test that chooses among servers; `nil` if there is one server.
  ///   - observer: The observer of the start's events.
  ///   - time: The source of time.
  public init(
    builtIn: ConfigurationLayer,
    facts: LaunchFacts = LaunchFacts(),
    atLaunch: ConfigurationLayer = ConfigurationLayer(),
    fetching source: Source? = nil,
    keptIn file: URL,
    keysAt place: any KeyPlace,
    cipher: @escaping @Sendable (Data) throws(SealingError) -> any AEAD = {
      key throws(SealingError) in try AES256GCM(key: key)
    },
    dialTest: DialTest? = nil,
    observer: any Observer = SilentObserver(),
    time: any TimeSource = SystemTime()
  ) {
    (self.builtIn, self.atLaunch) = (builtIn, atLaunch)
    (self.facts, self.source, self.file, self.place) = (facts, source, file, place)
    (self.cipher, self.dialTest, self.observer, self.time) = (cipher, dialTest, observer, time)
  }

  /// Returns the configuration of a launch, within the time budgets of the source and the dial
  /// test.
  ///
  /// - Parameters:
  ///   - transport: The transport of its request and of probes.
  ///   - admission: The controller whose circuit breakers receive the probes' outcomes; `nil` for
  ///     none.
  /// - Returns: The configuration, with its two outputs and its record.
  /// - Throws: `ConfigurationError` if the layers without a fetched one are invalid.
  @concurrent
  public func launch(
    by transport: any Transport,
    feeding admission: AdmissionController? = nil
  ) async throws(ConfigurationError) -> Startup {
    try await start(facts, by: transport, feeding: admission, waiting: source?.budget)
  }

  /// Returns a new configuration while the app runs, for a client's `apply`.
  ///
  /// `apply` ignores a configuration that is older than the current one. A refresh ignores the time
  /// budget of a start. It takes up to a minute, and fails after 15 s without a byte. It probes
  /// remembered servers again.
  ///
  /// - Parameters:
  ///   - transport: The transport of its request and of probes.
  ///   - admission: The controller whose circuit breakers receive the probes' outcomes; `nil` for
  ///     none.
  ///   - now: The current facts, such as another network; `nil` if the launch's facts still apply.
  /// - Returns: The configuration with its record.
  /// - Throws: `ConfigurationError` if the layers together are invalid.
  @concurrent
  public func refresh(
    by transport: any Transport,
    feeding admission: AdmissionController? = nil,
    facts now: LaunchFacts? = nil
  ) async throws(ConfigurationError) -> Startup {
    try await start(
      now ?? facts,
      by: transport,
      feeding: admission,
      waiting: source.map { max($0.budget, .seconds(60)) },
      isRenewal: true
    )
  }

  /// The configuration that a start uses, with its signed layer; `nil` if there is none.
  private struct Choice {
    var configuration: NetworkConfiguration
    var source = ConfigurationSource.builtIn
    var signed: SignedConfiguration?
  }

  private func start(
    _ facts: LaunchFacts,
    by transport: any Transport,
    feeding admission: AdmissionController?,
    waiting budget: Duration?,
    isRenewal: Bool = false
  ) async throws(ConfigurationError) -> Startup {
    let extras = facts.parameters.map { ("launch.\($0.name)", $0.value) }
    let layer = ConfigurationLayer(extras: Dictionary(extras) { $1 })
    let atLaunch = layer.under(self.atLaunch)
    let begin = time.uptime
    var refusal: FetchRefusal?
    var seal: VersionSeal?
    var keeper: ConfigurationKeeper?
    do throws(SealingError) {
      let made = try VersionSeal(keyAt: place, app: facts.app, layer: facts.layer, cipher: cipher)
      seal = made
      keeper = try source.map { source throws(SealingError) in
        try ConfigurationKeeper(place, made, signedBy: source.publicKeys, in: file)
      }
    } catch {
      refusal = source.map { _ in .off(error.description) }
    }
    let kept = lastGood(of: &keeper)
    var choice: Choice?
    var fetchTime: Duration?
    if let source, let keeper, let budget, budget > .zero {
      let before = time.uptime
      let fetched = await fetch(source, telling: facts, by: transport, within: budget)
      fetchTime = time.uptime - before
      do throws(FetchRefusal) {
        choice = try use(try keeper.read(fetched.get(), at: time.date), atLaunch, keeper, kept)
      } catch {
        refusal = error
      }
    }
    if let refusal { observer.observeStartup(.fetchRefused(refusal)) }
    var used = if let choice { choice } else { try fallBack(to: kept, atLaunch) }
    let dial = try await dial(&used, facts, by: transport, feeding: admission, isRenewal)
    observer.observeStartup(.configured(used.source))
    return Startup(
      configuration: used.configuration,
      record: StartupRecord(
        source: used.source,
        refusal: refusal?.name,
        elapsed: time.uptime - begin,
        fetch: fetchTime,
        dial: dial,
        expires: used.signed?.expiryDate
      ),
      rank: used.signed.map { ConfigurationRank(key: $0.key, version: $0.version) } ?? .builtIn,
      seal: seal
    )
  }

  /// Returns the last good configuration, or else the one without a fetched layer.
  private func fallBack(
    to kept: SignedConfiguration?,
    _ atLaunch: ConfigurationLayer
  ) throws(ConfigurationError) -> Choice {
    if let kept {
      do throws(ConfigurationError) {
        let source = ConfigurationSource.lastGood(version: kept.version)
        return Choice(configuration: try merged(atLaunch, kept), source: source, signed: kept)
      } catch {
        observer.observeStartup(.keptRefused(error.description))
      }
    }
    return Choice(configuration: try merged(atLaunch, nil))
  }

  /// Moves a configuration to the nearest server, if there is a dial test.
  private func dial(
    _ choice: inout Choice,
    _ facts: LaunchFacts,
    by transport: any Transport,
    feeding admission: AdmissionController?,
    _ isRenewal: Bool
  ) async throws(ConfigurationError) -> DialRecord? {
    guard let dialTest else { return nil }
    // An invalid base URL is reported immediately, not only if that server is the nearest.
    var servers: [URL: NetworkConfiguration] = [:]
    for url in dialTest.candidates { servers[url] = try choice.configuration.moved(to: url) }
    let record = await dialTest.run(
      on: facts.network,
      by: transport,
      feeding: admission,
      time: time,
      isRenewal: isRenewal
    )
    observer.observeStartup(.dialed(record))
    // If the publisher names a server, it is replaced only if it is one of the candidates.
    let isFree =
      choice.signed?.layer.baseURL == nil || servers[choice.configuration.baseURL] != nil
    if isFree, record.isFound, let moved = record.chosen.flatMap({ servers[$0] }) {
      choice.configuration = moved
    }
    return record
  }

  private func merged(
    _ atLaunch: ConfigurationLayer,
    _ signed: SignedConfiguration?
  ) throws(ConfigurationError) -> NetworkConfiguration {
    try NetworkConfiguration(
      builtIn: builtIn,
      atLaunch: atLaunch,
      fetched: signed?.layer ?? ConfigurationLayer()
    )
  }

  /// Stores the time of the start, and returns the last good configuration.
  private func lastGood(of keeper: inout ConfigurationKeeper?) -> SignedConfiguration? {
    do throws(StorageFailure) { try keeper?.see(time.date) } catch {
      observer.observeStartup(.notKept(error.text))
    }
    do throws(StorageFailure) { return try keeper?.lastGood(at: time.date) } catch {
      observer.observeStartup(.keptRefused(error.text))
      return nil
    }
  }

  /// Returns the configuration with a fetched layer, which is stored unless it is already.
  ///
  /// A configuration that cannot be stored is used nevertheless.
  ///
  /// - Throws: The refusal if it is invalid, or older than one that another start has stored
  ///   meanwhile.
  private func use(
    _ signed: SignedConfiguration,
    _ atLaunch: ConfigurationLayer,
    _ keeper: ConfigurationKeeper,
    _ kept: SignedConfiguration?
  ) throws(FetchRefusal) -> Choice {
    let configuration: NetworkConfiguration
    do throws(ConfigurationError) { configuration = try merged(atLaunch, signed) } catch {
      throw .invalid(error.problems)
    }
    if kept?.digest != signed.digest || keeper.known.lacks(signed) {
      do { try keeper.keep(signed, at: time.date) } catch let error as FetchRefusal {
        throw error
      } catch {
        observer.observeStartup(.notKept((error as? StorageFailure)?.text ?? "\(error)"))
      }
    }
    return Choice(
      configuration: configuration,
      source: .fetched(version: signed.version),
      signed: signed
    )
  }

  /// Fetches a text within the budget.
  private func fetch(
    _ source: Source,
    telling facts: LaunchFacts,
    by transport: any Transport,
    within budget: Duration
  ) async -> Result<Data, FetchRefusal> {
    await withTaskGroup(of: Result<Data, FetchRefusal>.self) { group in
      group.addTask {
        do throws(FetchRefusal) {
          return .success(try await text(try request(for: source, telling: facts), by: transport))
        } catch { return .failure(error) }
      }
      group.addTask { [time] in
        // A cancelled task is not waited for.
        try? await time.sleep(for: budget)
        return .failure(.late(budget))
      }
      defer { group.cancelAll() }
      return await group.next() ?? .failure(.late(budget))
    }
  }

  private func request(
    for source: Source,
    telling facts: LaunchFacts
  ) throws(FetchRefusal) -> URLRequest {
    // The facts must not be readable in transit, and the response may contain secrets.
    guard NetworkConfiguration.isSecure(source.url), source.url.fragment == nil else {
      throw .off("The URL \(source.url) must be https with a host and without a fragment.")
    }
    let query = facts.parameters.encoded
    let text = source.url.absoluteString
    guard let url = URL(string: text + (text.contains("?") ? "&" : "?") + query) else {
      throw .off("The URL \(text) cannot have a query; choose another URL.")
    }
    var request = URLRequest(url: url)
    // A shorter budget ends the request first, and is reported as the reason.
    request.timeoutInterval = Self.longestSilence.seconds
    // A session's own cache might contain an older one.
    request.cachePolicy = .reloadIgnoringLocalCacheData
    return request
  }

  private func text(
    _ request: URLRequest,
    by transport: any Transport
  ) async throws(FetchRefusal) -> Data {
    let answer: StreamedResponse
    let whole: ServerResponse
    do throws(TransportError) {
      answer = try await transport.open(request, Upload())
      // Reads at most one byte more than a valid configuration may have.
      whole = try await answer.collected(to: Self.fetchedBytesMax + 1)
    } catch {
      throw .unreachable(error.asNetworkError.description)
    }
    guard answer.status == 200 else { throw .status(answer.status) }
    guard whole.body.count <= Self.fetchedBytesMax else {
      throw .oversized(most: Self.fetchedBytesMax)
    }
    return whole.body
  }
}
