public import Foundation
public import WindTunnel
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The faults of a debug build, to see the screens that appear seldom.
public enum DebugFaults: Sendable, Hashable {
  /// The network as it is.
  case calm
  /// The device has no network.
  case offline
  /// No answer arrives within the timeout of an attempt.
  case timeout
  /// Every answer has this status.
  case failure(status: Int)
  /// A scenario for the live traffic; equal seeds draw equally.
  case scenario(Scenario, seed: UInt64)

  /// The statuses that ``failure(status:)`` accepts.
  public static let failures = 400...599

  /// Parses a word as it stands in a configuration: `calm`, `offline`, `timeout`, `failure`, which
  /// is 500, `failure 503`, or a scenario's file, `subway.json`, with a seed after it where that is
  /// not 1, `subway.json 7`.
  ///
  /// - Parameters:
  ///   - word: The word.
  ///   - folder: The folder of files with relative paths, such as an app's resources; `nil`: the
  ///     process's working directory.
  /// - Throws: ``DebugFaultsError`` where the word is none of them or the file is no scenario.
  public init(_ word: String, in folder: URL? = nil) throws(DebugFaultsError) {
    if let (name, seed) = Self.file(of: word) {
      do {
        // With its slash, since a folder without one would be taken for a file beside the other.
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

  /// Parses the word under `faults` in `NetworkConfiguration.extras`; calm where there is none.
  ///
  /// - Parameters:
  ///   - configuration: A configuration such as one whose layer at launch is
  ///     `{"extras": {"faults": "offline"}}`.
  ///   - folder: The folder of files with relative paths, as for ``init(_:in:)``.
  /// - Throws: ``DebugFaultsError`` where the word is none.
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
      "\"\(word)\" is none of the faults; there are calm, offline, timeout, failure, failure with a status"
        + " of \(failures.lowerBound) to \(failures.upperBound), and files of scenarios, whose names"
        + " end in .json."
    )
  }
}

extension DebugFaults: CustomStringConvertible {
  /// The faults in a word or two, for records.
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

/// The error of a word that is none.
public struct DebugFaultsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason in a sentence.
  public let description: String

  fileprivate init(_ description: String) { self.description = description }
}

/// A transport that adds faults to another one; without effect until its weather is set.
///
/// ```swift
/// let hook = FaultHook(URLSessionTransport(session: session), faults: .offline)
/// hook.faults = .calm
/// ```
///
/// In the faults of a scenario, requests are sent by a session of WindTunnel's in place of the
/// transport: what the transport does beside sending, such as pinning, is not done then. That
/// session is ephemeral and made anew each time a scenario is set: it has neither the cookies nor
/// the additional header fields, credentials and time-outs of the session that the transport wraps,
/// so set on the request what the server must see.
public final class FaultHook: Transport, @unchecked Sendable {
  private let transport: any Transport
  private let time: any TimeSource
  private let lock = NSLock()
  private var current: DebugFaults
  /// The transport of requests in the faults of a scenario.
  private var tunnel: URLSessionTransport?

  /// Makes a hook in front of a transport.
  public init(
    _ transport: any Transport,
    faults: DebugFaults = .calm,
    time: any TimeSource = SystemTime()
  ) {
    self.transport = transport
    self.time = time
    current = faults
    tunnel = Self.tunnel(in: faults)
  }

  /// The faults of the next requests.
  ///
  /// A scenario begins anew each time it is set, and stays in memory for as long as the process.
  public var faults: DebugFaults {
    get { lock.withLock { current } }
    set {
      let tunnel = Self.tunnel(in: newValue)
      lock.withLock { (current, self.tunnel) = (newValue, tunnel) }
    }
  }

  /// Sends a request in calm, and otherwise fails as the weather demands.
  public func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    try await carrier(of: request).send(request)
  }

  /// Sends a request as ``send(_:)`` does, and returns its answer as soon as the head has come.
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

  /// Returns the transport that carries a request in the current faults.
  private func carrier(of request: URLRequest) async throws(TransportError) -> any Transport {
    let (faults, tunnel) = lock.withLock { (current, self.tunnel) }
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

  /// Returns the transport's engine, with the weather where there is one.
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
