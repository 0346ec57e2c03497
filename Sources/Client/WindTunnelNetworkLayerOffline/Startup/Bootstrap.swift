public import Foundation
public import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The start of an app: it makes one configuration of what is built in, what is found out at launch
/// and what is fetched, and keeps the last good one for the next start.
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
/// A fetched one is signed by a key that is built in, has a version that only rises, and expires.
/// One that is bad, late, too long, played again or another's changes nothing: the app goes on with
/// the last good one, or without, and an observer is told the reason. Where the system has no
/// cryptography, or the place of keys must not be trusted, nothing is fetched, and that is told. It
/// is asked for as a whole each time: a "not modified" (304) that nobody asked for is refused as
/// any other status.
///
/// The last good one is sealed for one version of app and layer; after an update the built-in one
/// is used until another is fetched. What has expired stays so when the clock is set back, to an
/// hour, since the latest time of a start is kept at the place of keys. A clock that ran ahead for
/// one start may so cost the configuration that is known, until another one comes that expires
/// later.
public struct Bootstrap: Sendable {
  /// The greatest length of a fetched configuration with its signature, in bytes.
  public static let fetchedBytesMax = 256 << 10

  /// The server that has configurations.
  public struct Source: Sendable, Hashable {
    /// The URL that is asked, with the facts of the launch as parameters of its query.
    public var url: URL
    /// The public keys of Ed25519 that are built in, of 32 bytes each, in the order in which they
    /// follow each other; one of them has to have signed. Versions are counted by key. A second one
    /// lets a publisher change keys, also after the first one leaked: a device that has taken what
    /// the second has signed takes nothing of the first any more. What a key signs is good for all
    /// sources that know it, so each source has keys of its own.
    public var publicKeys: [Data]
    /// The time that a start waits for an answer; zero: it asks nobody, and a refresh does.
    public var budget: Duration

    /// Makes a source; by default a start waits for it for 2 s.
    public init(url: URL, publicKeys: [Data], budget: Duration = .seconds(2)) {
      (self.url, self.publicKeys, self.budget) = (url, publicKeys, budget)
    }
  }

  /// The longest time for which nothing may come of a configuration that is asked for.
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

  /// Makes a start of its parts.
  ///
  /// - Parameters:
  ///   - builtIn: The app's built-in layer, which must have a base URL.
  ///   - facts: The facts of this launch.
  ///   - atLaunch: The layer of this launch beside its facts.
  ///   - source: The server that has configurations; `nil`: nothing is fetched.
  ///   - file: The file of the last good one, in a directory that is there.
  ///   - place: The place of the key that it is sealed with, and of the highest version.
  ///   - cipher: Makes a cipher of a key of 32 bytes; by default AES-256-GCM.
  ///   - dialTest: The test that chooses among servers; `nil`: there is one server.
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

  /// Makes the configuration of a launch, within the source's budget and that of the dial test.
  ///
  /// - Parameters:
  ///   - transport: The transport of the request for it, and of probes.
  ///   - admission: The controller whose circuit breakers hear of the probes; `nil`: none does.
  /// - Returns: The configuration, with its two outputs and its record.
  /// - Throws: `ConfigurationError` where the layers without a fetched one are not valid.
  @concurrent
  public func launch(
    by transport: any Transport,
    feeding admission: AdmissionController? = nil
  ) async throws(ConfigurationError) -> Startup {
    try await start(facts, by: transport, feeding: admission, waiting: source?.budget)
  }

  /// Makes the configuration again while the app runs, for `apply` of a client, which takes
  /// none that is older than what runs: whatever the budget of a start, it asks for as long as a
  /// minute, of which nothing may come for 15 s, and probes what it remembers, too.
  ///
  /// - Parameters:
  ///   - transport: The transport of the request for it, and of probes.
  ///   - admission: The controller whose circuit breakers hear of the probes; `nil`: none does.
  ///   - now: The facts of now, such as another network; `nil`: those of the launch hold still.
  /// - Returns: The configuration with its record.
  /// - Throws: `ConfigurationError` where the layers together are none.
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

  /// The configuration that a start uses, with its signed layer; `nil` without one.
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
    let atLaunch = facts.asLayer.under(self.atLaunch)
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
    // One that can be no base URL is told at once, and not where it is the nearest.
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
    // A server that a publisher names is left for no other, unless it is one of those.
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

  /// Notes the time of the start, and returns the last good configuration.
  private func lastGood(of keeper: inout ConfigurationKeeper?) -> SignedConfiguration? {
    do throws(KeptFault) { try keeper?.see(time.date) } catch {
      observer.observeStartup(.notKept(error.text))
    }
    do throws(KeptFault) { return try keeper?.lastGood(at: time.date) } catch {
      observer.observeStartup(.keptRefused(error.text))
      return nil
    }
  }

  /// Returns the configuration with a layer that was fetched, which is kept unless it is already;
  /// one that cannot be kept is used all the same.
  ///
  /// - Throws: The refusal of one that is not valid, or is older than what another start has kept
  ///   meanwhile.
  private func use(
    _ signed: SignedConfiguration,
    _ atLaunch: ConfigurationLayer,
    _ keeper: ConfigurationKeeper,
    _ kept: SignedConfiguration?
  ) throws(FetchRefusal) -> Choice {
    let configuration: NetworkConfiguration
    do throws(ConfigurationError) { configuration = try merged(atLaunch, signed) } catch {
      throw .invalid(error.faults)
    }
    if keeper.lacks(signed, besides: kept) {
      do { try keeper.keep(signed, at: time.date) } catch let error as FetchRefusal {
        throw error
      } catch {
        observer.observeStartup(.notKept((error as? KeptFault)?.text ?? "\(error)"))
      }
    }
    return Choice(
      configuration: configuration,
      source: .fetched(version: signed.version),
      signed: signed
    )
  }

  /// Asks for a text, and gives up when the budget is spent.
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
        // Whoever is cancelled is not waited for.
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
    // The facts are for nobody on the way, and the answer may hold secrets.
    guard NetworkConfiguration.isSecure(source.url), source.url.fragment == nil else {
      throw .off("The URL \(source.url) has to be https with a host and without a fragment.")
    }
    let query = facts.parameters.encoded
    let text = source.url.absoluteString
    guard let url = URL(string: text + (text.contains("?") ? "&" : "?") + query) else {
      throw .off("The URL \(text) can have no query; choose another one.")
    }
    var request = URLRequest(url: url)
    // Within a shorter budget that one ends it, and tells so.
    request.timeoutInterval = Self.longestSilence.seconds
    // A session's own cache might have an older one.
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
      // Of a page that is none of ours no more is read than of one that is.
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
