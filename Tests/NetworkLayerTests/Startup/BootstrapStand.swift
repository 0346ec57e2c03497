import Origins
import TestSupport
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerOffline
import WindTunnelSymptoms

/// The system's time on a day of the test's choice.
struct FixedDay: TimeSource {
  private let system = SystemTime()
  let date: Date

  init(_ seconds: Int = 1_700_000_000) { date = Date(timeIntervalSince1970: TimeInterval(seconds)) }

  var uptime: Duration { system.uptime }

  func sleep(for duration: Duration) async throws(CancellationError) {
    try await system.sleep(for: duration)
  }
}

/// A place of keys where a test does something before each write.
struct WatchedPlace: KeyPlace {
  let place: any KeyPlace
  let before: @Sendable (_ name: String) throws(SealingError) -> Void

  func read(_ name: String) throws(SealingError) -> Data? { try place.read(name) }

  func write(_ data: Data, as name: String) throws(SealingError) {
    try before(name)
    try place.write(data, as: name)
  }

  func add(_ data: Data, as name: String) throws(SealingError) -> Data {
    try place.add(data, as: name)
  }

  func remove(_ name: String) throws(SealingError) { try place.remove(name) }
}

/// An app with a folder of its own, and a publisher of its configurations.
struct BootstrapStand {
  /// The path that the facts of this app make.
  static let path = "/config?app=2.1&layer=1&time=784111777&place=DE&network=wifi"
  static let builtIn = ConfigurationLayer(
    baseURL: "https://api.example.test",
    deadlineMilliseconds: 1_000,
    secrets: ["key": Secret("hush-1")]
  )

  let folder = DiskStoreTests.Folder()
  let publisher: Ed25519Signer
  /// The keys that are built in; `nil`: the publisher's alone.
  var publicKeys: [Data]?
  let observer = RecordingObserver()
  let counters = CallCounters()

  init() throws { publisher = try Ed25519Signer(seed: Data((0..<32).map { UInt8($0) })) }

  var keys: URL { folder.url.appending(path: "keys") }
  /// The name of the file of the last good one.
  var fileName = "configuration"
  var file: URL { folder.url.appending(path: fileName) }

  static func cipher(_ key: Data) throws(SealingError) -> any AEAD { try AES256GCM(key: key) }

  /// A text as its publisher signs it.
  func signed(_ json: String, by other: Ed25519Signer? = nil) throws -> Data {
    let json = Data(json.utf8)
    let signature = try (other ?? publisher).sign(json)
    return Data(signature.base64EncodedString().utf8) + Data("\n".utf8) + json
  }

  func configuration(
    _ version: Int,
    expires: Int = 1_800_000_000,
    _ layer: String = #"{"deadlineMilliseconds":2000}"#,
    by other: Ed25519Signer? = nil
  ) throws -> Data {
    try signed(#"{"version":\#(version),"expires":\#(expires),"layer":\#(layer)}"#, by: other)
  }

  func bootstrap(
    _ origin: String,
    app: String = "2.1",
    budget: Duration = .seconds(60),
    day: FixedDay = FixedDay(),
    dialTest: DialTest? = nil,
    keysAt place: (any KeyPlace)? = nil,
    cipher: @escaping @Sendable (Data) throws(SealingError) -> any AEAD = BootstrapStand.cipher
  ) throws -> Bootstrap {
    let facts = LaunchFacts(
      start: ManualTime.epoch,
      app: app,
      layer: "1",
      place: "DE",
      network: "wifi"
    )
    guard let url = URL(string: origin + "/config") else { throw CocoaError(.coderInvalidValue) }
    return Bootstrap(
      builtIn: Self.builtIn,
      facts: facts,
      atLaunch: ConfigurationLayer(headers: ["X-Start": "1"]),
      fetching: Bootstrap.Source(
        url: url,
        publicKeys: publicKeys ?? [publisher.publicKey],
        budget: budget
      ),
      keptIn: file,
      keysAt: try place ?? FileKeyPlace(directory: keys),
      cipher: cipher,
      dialTest: dialTest,
      observer: Observers(observer, counters),
      time: day
    )
  }

  /// Starts with an answer that is in no need of a server, and counts the requests.
  func launch(
    _ answer: Result<ServerResponse, TransportError>,
    app: String = "2.1",
    day: FixedDay = FixedDay(),
    cipher: @escaping @Sendable (Data) throws(SealingError) -> any AEAD = BootstrapStand.cipher
  ) async throws -> (startup: Startup, events: [StartupEvent], requests: Int) {
    let before = observer.startupEvents.count
    let requests = RequestCount()
    let engine = ScriptedEngine { _ throws(TransportError) in
      requests.add()
      return try answer.get()
    }
    let startup = try await bootstrap(
      "https://config.example.test",
      app: app,
      day: day,
      cipher: cipher
    ).launch(by: engine)
    return (startup, Array(observer.startupEvents.dropFirst(before)), requests.value)
  }

  func launch(
    _ text: Data,
    app: String = "2.1",
    day: FixedDay = FixedDay()
  ) async throws -> (startup: Startup, events: [StartupEvent], requests: Int) {
    try await launch(.success(ServerResponse(status: 200, body: text)), app: app, day: day)
  }

  /// What a launch with a text, or without a network, has used.
  func record(
    _ text: Data? = nil,
    app: String = "2.1",
    day: FixedDay = FixedDay()
  ) async throws -> StartupRecord {
    let answer: Result<ServerResponse, TransportError> =
      if let text { .success(ServerResponse(status: 200, body: text)) } else { Self.offline }
    return try await launch(answer, app: app, day: day).startup.record
  }

  static let offline = Result<ServerResponse, TransportError>.failure(
    .failed(.offline, text: "no network")
  )

  static func transport() -> URLSessionTransport {
    URLSessionTransport(session: URLSession(configuration: .ephemeral))
  }
}

final class RequestCount: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0
  var value: Int { lock.withLock { count } }
  func add() { lock.withLock { count += 1 } }
}
