internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A transport of several engines, each with a share of the users: to introduce one with care, or
/// to compare two in the field.
///
/// ```swift
/// let transport = try EngineShares(
///   ["urlsession": URLSessionTransport(session: session), "sockets": SocketTransport()],
///   shares: ["urlsession": 95, "sockets": 5],
///   of: installID
/// )
/// ```
///
/// Who has which engine is a pure function of the id, the experiment's name and the shares, so that
/// a user keeps an engine over launches and devices. Where shares change, users move from one to
/// another only if the other's share has risen in proportion to that one's (weighted rendezvous
/// hashing: Thaler and Ravishankar 1998, with logarithms for weights): of three with shares of 10,
/// 10 and 10, and then of 20, 15 and 10, some move from the third to the second.
///
/// A configuration changes the shares while the app runs (``ConfigurationLayer/engineShares``), and
/// an endpoint may name its engine (``Endpoint/engine``). All attempts of a call have the engine
/// that the call began with. Records and counters tell it by its name here.
public struct EngineShares: Transport {
  /// The greatest share of an engine.
  public static let shareMax = 1_000_000

  private let engines: [String: any Transport]
  private let shares: [String: Int]
  private let id: String
  private let experiment: String

  /// Makes a transport of engines by name.
  ///
  /// - Parameters:
  ///   - engines: The engines by name.
  ///   - shares: The share of each engine in proportion to the others; one that is not named has
  ///     none, and carries what names it.
  ///   - id: The stable id of the user or of the installation.
  ///   - experiment: The name of the comparison: of two with different names, the users' engines
  ///     are independent.
  /// - Throws: ``ConfigurationError`` of shares that name no engine, or give none to any.
  public init(
    _ engines: [String: any Transport],
    shares: [String: Int],
    of id: String,
    experiment: String = "engines"
  ) throws(ConfigurationError) {
    var faults = Self.faults(of: shares)
    let names = engines.keys.sorted().joined(separator: ", ")
    for name in shares.keys.sorted() where engines[name] == nil {
      faults.append("There is no engine \"\(name)\" to have a share; there are \(names).")
    }
    guard faults.isEmpty else { throw ConfigurationError(faults: faults) }
    (self.engines, self.shares, self.id) = (engines, shares, id)
    self.experiment = experiment
  }

  /// Returns a sentence for each share that is none.
  static func faults(of shares: [String: Int]) -> [String] {
    var faults: [String] = []
    for (name, share) in shares.sorted(by: { $0.key < $1.key })
    where !(0...shareMax ~= share) {
      faults.append("The share of \"\(name)\" is \(share); it has to be 0 to \(shareMax).")
    }
    if !shares.values.contains(where: { $0 > 0 }) { faults.append("No engine has a share.") }
    return faults
  }

  /// Sends a request by the engine of the call, or of the user.
  public func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    try await chosen().send(request)
  }

  /// Opens an answer by the engine of the call, or of the user.
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
  ///   - shares: The shares that a configuration gives; `nil`: those that this was made with. They
  ///     hold only as far as they name engines that are here.
  ///   - named: The engine that is named for a call; one that is not here is passed over.
  /// - Returns: The name that it has here.
  public func engine(by shares: [String: Int]? = nil, named: String? = nil) -> String {
    name(by: EngineChoice(engine: named, shares: shares)) ?? ""
  }

  private func chosen() throws(TransportError) -> any Transport {
    guard let name = name(by: .current), let engine = engines[name] else {
      // The shares that it was made with name engines that are here.
      throw .failed(.unknown, text: "No engine has a share.")
    }
    return engine
  }

  private func name(by choice: EngineChoice) -> String? {
    if let name = choice.engine, engines[name] != nil { return name }
    return choice.shares.flatMap { first(by: $0) } ?? first(by: shares)
  }

  /// Returns the engine with the lowest draw of those that are here; the draw of an engine falls
  /// with its share. `nil` where none has a share.
  private func first(by shares: [String: Int]) -> String? {
    shares.filter { $0.value > 0 && engines[$0.key] != nil }
      .map { (name: $0.key, draw: -log(unit(of: $0.key)) / Double($0.value)) }
      .min { ($0.draw, $0.name) < ($1.draw, $1.name) }?.name
  }

  /// Returns a number above 0 and below 1 that depends on experiment, id and engine, and on nothing
  /// else: 64-bit FNV-1a of the three, with a zero byte between them, mixed by the finaliser of
  /// MurmurHash3.
  private func unit(of engine: String) -> Double {
    var hash = FNV1a.hash(Data("\(experiment)\0\(id)\0\(engine)".utf8))
    hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    hash ^= hash >> 33
    // 53 bits, and never 0.
    return (Double(hash >> 11) + 0.5) / Double(1 << 53)
  }
}

/// The engine and the shares that a call began with, known to all that it does.
///
/// They travel with the task, so that transports around ``EngineShares`` need not know of them.
struct EngineChoice: Sendable, Hashable {
  /// The engine that is named for the call; `nil`: the user's.
  var engine: String?
  /// The shares of a configuration; `nil`: it has none.
  var shares: [String: Int]?

  /// The choice of the call that the current task is about.
  @TaskLocal static var current = EngineChoice()

  /// Does something for the call of this choice.
  func make<Value>(_ work: () async -> Value) async -> Value {
    // Most apps have one engine.
    if self == Self.current { return await work() }
    return await Self.$current.withValue(self) { await work() }
  }

  /// Looks something up for the call of this choice.
  func look<Value>(_ work: () -> Value) -> Value {
    if self == Self.current { return work() }
    return Self.$current.withValue(self) { work() }
  }
}
