internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import Foundation
#else
  public import Foundation
#endif

/// A transport that distributes users over several engines, such as for a gradual introduction.
///
/// ```swift
/// let transport = try EngineShares(
///   ["urlsession": URLSessionTransport(session: session), "sockets": SocketTransport()],
///   shares: ["urlsession": 95, "sockets": 5],
///   of: installID
/// )
/// ```
///
/// A user's engine is a pure function of the id, the experiment's name and the shares. A user
/// therefore keeps the same engine across launches and devices.
///
/// If shares change, users move to an engine only from engines whose share has fallen relative to
/// it (weighted rendezvous hashing: Thaler and Ravishankar 1998, with logarithms for weights). For
/// example, three shares change from 10, 10 and 10 to 20, 15 and 10. Then some users move from the
/// third engine to the second.
///
/// A configuration can change the shares while the app runs (``ConfigurationLayer/engineShares``).
/// An endpoint can name its engine (``Endpoint/engine``). All attempts of a call use the engine
/// with which the call began. Records and counters contain the engine's name.
public struct EngineShares: Transport {
  /// The maximum share of an engine.
  public static let shareMax = 1_000_000

  private let engines: [String: any Transport]
  private let shares: [String: Int]
  private let id: String
  private let experiment: String

  /// Creates a transport with named engines.
  ///
  /// - Parameters:
  ///   - engines: The engines by name.
  ///   - shares: The relative share of each engine. An engine that is missing here has no share,
  ///     and carries only endpoints that name it.
  ///   - id: The stable id of the user or of the installation.
  ///   - experiment: The name of the comparison. Comparisons with different names assign engines
  ///     independently.
  /// - Throws: ``ConfigurationError`` if the shares name an unknown engine or are all zero.
  public init(
    _ engines: [String: any Transport],
    shares: [String: Int],
    of id: String,
    experiment: String = "engines"
  ) throws(ConfigurationError) {
    var problems = Self.problems(of: shares)
    let names = engines.keys.sorted().joined(separator: ", ")
    for name in shares.keys.sorted() where engines[name] == nil {
      problems.append("The engine \"\(name)\" of a share does not exist; the engines are \(names).")
    }
    guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    (self.engines, self.shares, self.id) = (engines, shares, id)
    self.experiment = experiment
  }

  /// Returns a sentence for each invalid share.
  static func problems(of shares: [String: Int]) -> [String] {
    var problems: [String] = []
    for (name, share) in shares.sorted(by: { $0.key < $1.key })
    where !(0...shareMax ~= share) {
      problems.append("The share of \"\(name)\" is \(share); it must be 0 to \(shareMax).")
    }
    if !shares.values.contains(where: { $0 > 0 }) { problems.append("No engine has a share.") }
    return problems
  }

  /// Sends a request with the engine of the call, or of the user.
  public func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    try await chosen().send(request)
  }

  /// Opens a response with the engine of the call, or of the user.
  public func open(
    _ request: URLRequest,
    _ upload: Upload
  ) async throws(TransportError) -> StreamedResponse {
    try await chosen().open(request, upload)
  }

  /// Returns the name of the engine of the call, or of the user.
  public func engine(for request: URLRequest) -> String { name(by: .current) ?? "" }

  /// Returns the name of the user's engine.
  ///
  /// - Parameters:
  ///   - shares: The shares of a configuration; `nil` for the shares of this transport. Unknown
  ///     engines among them are ignored.
  ///   - named: The engine that a call names; an unknown engine is ignored.
  /// - Returns: The name of the engine in this transport.
  public func engine(by shares: [String: Int]? = nil, named: String? = nil) -> String {
    name(by: EngineChoice(engine: named, shares: shares)) ?? ""
  }

  private func chosen() throws(TransportError) -> any Transport {
    guard let name = name(by: .current), let engine = engines[name] else {
      // The shares of this transport name existing engines.
      throw .failed(.unknown, text: "No engine has a share.")
    }
    return engine
  }

  private func name(by choice: EngineChoice) -> String? {
    if let name = choice.engine, engines[name] != nil { return name }
    return choice.shares.flatMap { first(by: $0) } ?? first(by: shares)
  }

  /// Returns the engine with the lowest draw, which becomes smaller with a larger share.
  ///
  /// Unknown engines are ignored; `nil` if no engine has a share.
  private func first(by shares: [String: Int]) -> String? {
    shares.filter { $0.value > 0 && engines[$0.key] != nil }
      .map { (name: $0.key, draw: -log(unit(of: $0.key)) / Double($0.value)) }
      .min { ($0.draw, $0.name) < ($1.draw, $1.name) }?.name
  }

  /// Returns a number between 0 and 1, exclusive, that depends only on experiment, id and engine.
  ///
  /// It is the 64-bit FNV-1a hash of the three, separated by zero bytes, mixed with the finaliser
  /// of MurmurHash3.
  private func unit(of engine: String) -> Double {
    var hash = FNV1a.hash(Data("\(experiment)\0\(id)\0\(engine)".utf8))
    hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    hash ^= hash >> 33
    // 53 bits, and never 0.
    return (Double(hash >> 11) + 0.5) / Double(1 << 53)
  }
}

/// The engine and the shares with which a call began.
///
/// They are task-local, so that transports that wrap ``EngineShares`` need not pass them on.
struct EngineChoice: Sendable, Hashable {
  /// The engine that the call names; `nil` for the user's engine.
  var engine: String?
  /// The shares of a configuration; `nil` if it has none.
  var shares: [String: Int]?

  /// The choice of the call that the current task performs.
  @TaskLocal static var current = EngineChoice()

  /// Runs asynchronous work with this choice as the current one.
  func make<Value>(_ work: () async -> Value) async -> Value {
    // Most apps have one engine, so this is the usual case.
    if self == Self.current { return await work() }
    return await Self.$current.withValue(self) { await work() }
  }

  /// Runs synchronous work with this choice as the current one.
  func look<Value>(_ work: () -> Value) -> Value {
    if self == Self.current { return work() }
    return Self.$current.withValue(self) { work() }
  }
}
