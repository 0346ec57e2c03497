internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A cache of answers for one user: in memory, and on disk where there is a store.
///
/// The server decides in `Cache-Control` for how long an answer is fresh, and what may be done with
/// it later (RFC 9111, RFC 5861); an app may be more generous than its server. The cache does not
/// distinguish the users of one URL: ``clear()`` belongs to a sign-out.
public final class ResponseCache: Sendable {
  /// The times that an app grants beyond those of the server.
  public struct Rules: Sendable, Hashable {
    /// The time after its freshness for which an answer may be shown while a newer one is fetched.
    public var staleWhileRevalidate: Duration
    /// The time after its freshness for which an answer may be shown if the server cannot be
    /// reached.
    public var staleIfError: Duration

    /// Makes rules; by default no further time is granted.
    public init(staleWhileRevalidate: Duration = .zero, staleIfError: Duration = .zero) {
      self.staleWhileRevalidate = staleWhileRevalidate
      self.staleIfError = staleIfError
    }
  }

  /// The state of the cache for a request.
  enum Found {
    case nothing
    case fresh(CachedResponse)
    case staleWhileRevalidating(CachedResponse)
    case stale(CachedResponse)

    /// The answer, however old; `nil`: there is none.
    var kept: CachedResponse? {
      switch self {
      case .nothing: nil
      case .fresh(let kept), .staleWhileRevalidating(let kept), .stale(let kept): kept
      }
    }
  }

  private struct State {
    var memory: BoundedStore<CachedResponse>
    private var latest = 0
    /// The generation of all addresses that are not in ``changed``.
    private var cleared = 0
    /// The generations of addresses that have changed since.
    private var changed: [String: Int] = [:]

    /// The most addresses whose generations are remembered; past it all have a new one.
    private static let changedMax = 1024

    init(bytes: Int) { memory = BoundedStore(bytes: bytes) }

    func generation(of key: String) -> Int { changed[key] ?? cleared }

    mutating func clear() {
      _ = memory.removeAll()
      renewAll()
    }

    mutating func invalidate(_ key: String) {
      _ = memory.remove(key)
      if changed.count >= Self.changedMax { renewAll() }
      latest += 1
      changed[key] = latest
    }

    /// Keeps an answer, unless its address has another generation by now.
    mutating func keep(_ kept: CachedResponse, generation: Int) -> Bool {
      guard self.generation(of: kept.key) == generation else { return false }
      _ = memory.keep(kept, of: kept.cost, as: kept.key)
      return true
    }

    private mutating func renewAll() {
      latest += 1
      (cleared, changed) = (latest, [:])
    }
  }

  private let rules: Rules
  private let state: Locked<State>
  private let disk: DiskStore?

  /// Makes an empty cache, or one with the answers on disk.
  ///
  /// - Parameters:
  ///   - bytes: The most memory that answers may take, roughly.
  ///   - disk: The store on disk; `nil`: none.
  ///   - rules: The times that are granted beyond those of the server.
  public init(bytes: Int = 10_000_000, disk: DiskStore? = nil, rules: Rules = Rules()) {
    self.rules = rules
    self.disk = disk
    state = Locked(State(bytes: bytes))
  }

  /// The memory that the answers take, roughly, in bytes.
  public var bytes: Int { state.withLock { $0.memory.bytes } }

  /// Removes all answers, those that are still on their way included.
  public func clear() {
    change({ $0.clear() }, onDisk: { $0.removeAll(and: $1) })
  }

  /// Returns the generation of what lies at a request's address. It is another one after each
  /// change there and each ``clear()``, and what was asked for before is not kept.
  func generation(of request: URLRequest) -> Int {
    state.withLock { $0.generation(of: Self.address(request)) }
  }

  /// Looks for an answer, by the times that its endpoint gives; `nil`: by its header fields.
  func find(_ request: URLRequest, _ times: CacheTimes?, at now: Date) -> Found {
    guard let kept = kept(request) else { return .nothing }
    let staleness = kept.staleness(at: now, times)
    if staleness < 0 { return .fresh(kept) }
    let control = CacheControl(kept.headers)
    let grace =
      times?.staleWhileRevalidate.seconds
      ?? Self.grace(control.staleWhileRevalidate, rules.staleWhileRevalidate, control)
    return staleness < grace ? .staleWhileRevalidating(kept) : .stale(kept)
  }

  /// Returns whether an answer may be shown before its server is asked: not one whose server wants
  /// to be asked each time (RFC 9111 §5.2.2.4, §5.2.2.2).
  func mayGoAhead(_ kept: CachedResponse, _ times: CacheTimes?) -> Bool {
    times != nil || !CacheControl(kept.headers).wantsQuestion
  }

  /// Returns whether a stale answer may be shown since the server cannot be had.
  func mayStandIn(
    _ kept: CachedResponse,
    _ times: CacheTimes?,
    for error: NetworkError,
    at now: Date
  ) -> Bool {
    guard error.isServersAbsence else { return false }
    let control = CacheControl(kept.headers)
    let grace =
      times?.staleIfError.seconds
      ?? Self.grace(control.staleIfError, rules.staleIfError, control)
    return kept.staleness(at: now, times) < grace
  }

  func keep(_ kept: CachedResponse, generation: Int) {
    guard state.withLock({ $0.keep(kept, generation: generation) }) else { return }
    disk?.keep(kept) { state.withLock { $0.generation(of: kept.key) == generation } }
  }

  /// Removes what lies at a request's address, what is still on its way included.
  func invalidate(_ request: URLRequest) {
    let key = Self.address(request)
    change({ $0.invalidate(key) }, onDisk: { $0.remove(key, and: $1) })
  }

  /// In memory and on disk at once: whoever reads or writes the disk comes before or after both.
  private func change(
    _ change: @escaping (inout State) -> Void,
    onDisk: (DiskStore, () -> Void) -> Void
  ) {
    guard let disk else { return state.withLock(change) }
    onDisk(disk) { state.withLock(change) }
  }

  private static func address(_ request: URLRequest) -> String { request.url?.absoluteString ?? "" }

  private func kept(_ request: URLRequest) -> CachedResponse? {
    guard let key = CachedResponse.key(of: request) else { return nil }
    let generation = generation(of: request)
    var kept = state.withLock { $0.memory[key] }
    if kept == nil, let onDisk = disk?[key] {
      kept = onDisk
      _ = state.withLock { $0.keep(onDisk, generation: generation) }
    }
    return kept.flatMap { $0.answers(request) ? $0 : nil }
  }

  private static func grace(_ told: Int?, _ granted: Duration, _ control: CacheControl) -> Double {
    control.mustRevalidate ? 0 : max(told.map(Double.init) ?? 0, granted.seconds)
  }
}

extension AttemptOutcome {
  /// Tells whether what lies at the address of a request is another thing since: it is not safe,
  /// and was answered by no error (RFC 9111 §4.4), whatever rules make of the answer.
  func hasChanged(_ request: URLRequest) -> Bool {
    guard !["GET", "HEAD", "OPTIONS", "TRACE"].contains(request.httpMethod),
      case .success(let answer) = self
    else { return false }
    return 200...399 ~= answer.status
  }
}

extension NetworkError {
  /// True where the server cannot be had (RFC 5861 §4), rather than says no. An answer of another
  /// kind is somebody else's, such as a captive portal's.
  fileprivate var isServersAbsence: Bool {
    switch self {
    case .decode(.contentType): true
    case .offline, .transport, .deadlinePassed, .circuitOpen, .rateLimited: true
    case .server(let status, _): status >= 500
    case .invalidRequest, .credentials, .proxyCredentials, .cancelled, .business, .decode, .file,
      .middleware, .closed:
      false
    }
  }
}
