public import Foundation
public import WindTunnel
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms
internal import WindTunnelURLSession

/// The simulated faults of a debug build, for testing screens that rarely appear.
public enum DebugFaults: Sendable, Hashable, CustomStringConvertible {
  /// The real network, without simulated faults.
  case calm
  /// The device has no network.
  case offline
  /// No response arrives within the timeout of an attempt.
  case timeout
  /// Every response has this status.
  case failure(status: Int)
  /// A scenario for the live traffic. Equal seeds give equal random decisions.
  case scenario(Scenario, seed: UInt64)

  /// The statuses that ``failure(status:)`` accepts.
  public static let failures = 400...599

  /// Parses the faults from a word in a configuration.
  ///
  /// The word is `calm`, `offline`, `timeout`, `failure` (which means 500) or `failure 503`. It can
  /// also be a scenario's file, such as `subway.json`, followed by a seed if that is not 1, as in
  /// `subway.json 7`.
  ///
  /// - Parameters:
  ///   - word: The word.
  ///   - folder: The folder for relative paths, such as an app's resources; `nil` for the process's
  ///     working directory.
  /// - Throws: ``DebugFaultsError`` if the word is unknown, or if the file is not a scenario.
  public init(_ word: String, in folder: URL? = nil) throws(DebugFaultsError) {
    if let (name, seed) = Self.file(of: word) {
      do {
        // With a trailing slash, because a relative path replaces the last component otherwise.
        let base = folder.map { URL(fileURLWithPath: $0.path, isDirectory: true) }
        let file = URL(fileURLWithPath: name, relativeTo: base).absoluteURL
        self = .scenario(try Scenario(contentsOf: file), seed: seed)
      } catch {
        throw DebugFaultsError("\(error)")
      }
      return
    }
    let parts = word.split(separator: " ")
    switch (parts.first, parts.count) {
    case ("calm", 1): self = .calm
    case ("offline", 1): self = .offline
    case ("timeout", 1): self = .timeout
    case ("failure", 1): self = .failure(status: 500)
    case ("failure", 2):
      guard let status = Int(parts[1]), Self.failures ~= status else { throw Self.unknown(word) }
      self = .failure(status: status)
    default: throw Self.unknown(word)
    }
  }

  /// Parses the word under `faults` in `NetworkConfiguration.extras`; calm if there is none.
  ///
  /// - Parameters:
  ///   - configuration: A configuration, such as one with the launch layer
  ///     `{"extras": {"faults": "offline"}}`.
  ///   - folder: The folder for relative paths, as for ``init(_:in:)``.
  /// - Throws: ``DebugFaultsError`` if the word is invalid.
  public init(
    _ configuration: NetworkConfiguration,
    in folder: URL? = nil
  ) throws(DebugFaultsError) {
    guard let word = configuration.extras["faults"] else {
      self = .calm
      return
    }
    try self.init(word, in: folder)
  }

  private static func file(of word: String) -> (name: String, seed: UInt64)? {
    if word.hasSuffix(".json") { return (word, 1) }
    guard let space = word.lastIndex(of: " "), word[..<space].hasSuffix(".json"),
      let seed = UInt64(word[word.index(after: space)...])
    else { return nil }
    return (String(word[..<space]), seed)
  }

  private static func unknown(_ word: String) -> DebugFaultsError {
    DebugFaultsError(
      "\"\(word)\" is not a fault; the faults are calm, offline, timeout, failure, failure with a status"
        + " of \(failures.lowerBound) to \(failures.upperBound), and scenario files, whose names"
        + " end in .json."
    )
  }

  /// A short description of the faults, for records.
  public var description: String {
    switch self {
    case .calm: "calm"
    case .offline: "offline"
    case .timeout: "timeout"
    case .failure(let status): "failure \(status)"
    case .scenario(let scenario, let seed): "\(scenario.name), seed \(seed)"
    }
  }
}

/// The error of an unknown word.
public struct DebugFaultsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason in a sentence.
  public let description: String

  fileprivate init(_ description: String) { self.description = description }
}

/// A transport that adds faults to another one; without effect until its faults are set.
///
/// ```swift
/// let hook = FaultHook(URLSessionTransport(session: session), faults: .offline)
/// hook.faults = .calm
/// ```
///
/// With the faults of a scenario, a session of WindTunnel sends requests in place of the transport.
/// Other functions of the transport, such as pinning, do not apply then.
///
/// That session is ephemeral and created each time a scenario is set. It has none of the cookies,
/// additional header fields, credentials and time-outs of the transport's session. Set on the
/// request everything that the server requires.
public final class FaultHook: Transport {
  private let transport: any Transport
  private let time: any TimeSource
  /// The faults, and the transport of requests while they are a scenario.
  private let state: Locked<(faults: DebugFaults, tunnel: URLSessionTransport?)>

  /// Creates a hook in front of a transport.
  public init(
    _ transport: any Transport,
    faults: DebugFaults = .calm,
    time: any TimeSource = SystemTime()
  ) {
    self.transport = transport
    self.time = time
    state = Locked((faults, Self.tunnel(in: faults)))
  }

  /// The faults of the next requests.
  ///
  /// A scenario starts from its beginning each time it is set, and stays in memory until the
  /// process ends.
  public var faults: DebugFaults {
    get { state.withLock { $0.faults } }
    set {
      let tunnel = Self.tunnel(in: newValue)
      state.withLock { $0 = (newValue, tunnel) }
    }
  }

  /// Sends a request with the transport, or fails as the current faults specify.
  public func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    try await carrier(of: request).send(request)
  }

  /// Sends a request like ``send(_:)``, and returns its response as soon as the head has arrived.
  public func open(
    _ request: URLRequest,
    _ upload: Upload
  ) async throws(TransportError) -> StreamedResponse {
    // A simulated status reads no file and sends nothing.
    if case .failure(let status) = faults {
      return StreamedResponse(status: status, pieces: AsyncThrowingStream { $0.finish() })
    }
    return try await carrier(of: request).open(request, upload)
  }

  /// Returns the transport that carries a request with the current faults.
  private func carrier(of request: URLRequest) async throws(TransportError) -> any Transport {
    let (faults, tunnel) = state.withLock { $0 }
    switch faults {
    case .calm: return transport
    case .offline: throw .failed(.offline, text: "The debug build is offline.")
    case .timeout:
      do { try await time.sleep(for: .seconds(request.timeoutInterval)) } catch { throw .cancelled }
      throw .failed(.timedOut, text: "The debug build simulates a timeout.")
    case .failure(let status):
      return ScriptedEngine { _ throws(TransportError) in ServerResponse(status: status) }
    case .scenario: return tunnel ?? transport
    }
  }

  /// Returns the transport's engine, followed by the faults if there are any.
  public func engine(for request: URLRequest) -> String {
    let (engine, faults) = (transport.engine(for: request), faults)
    return faults == .calm ? engine : "\(engine) in \(faults)"
  }

  private static func tunnel(in faults: DebugFaults) -> URLSessionTransport? {
    guard case .scenario(let scenario, let seed) = faults else { return nil }
    let deck = Deck(
      Cassette([]),
      scenario: scenario,
      seed: seed,
      options: PlaybackOptions(passesOthers: true, keepsRequests: false)
    )
    return URLSessionTransport(session: URLSession(configuration: .windTunnel(deck)))
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 13)
