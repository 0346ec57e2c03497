internal import Foundation

/// A cache of one user's responses: in memory, and on disk if there is a store.
///
/// The server's `Cache-Control` field decides how long a response is fresh and how it may be used
/// later (RFC 9111, RFC 5861). An app may allow more than its server. The cache does not
/// distinguish users of the same URL, so call ``clear()`` at sign-out.
public final class ResponseCache: Sendable {
  /// The times that an app allows beyond the server's times.
  public struct Rules: Sendable, Hashable {
    /// The time for which a stale response may be used while a newer one is fetched.
    public var staleWhileRevalidate: Duration
    /// The time for which a stale response may be used if the server is unreachable.
    public var staleIfError: Duration

    /// Creates rules; by default, no additional time.
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

    /// The response, regardless of its age; `nil` if there is none.
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
    /// The generations of addresses that have changed since the last clearing.
    private var changed: [String: Int] = [:]

    /// The maximum number of remembered generations. Beyond it, all addresses get a new one.
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

    /// Stores a response, unless its address has a new generation by now.
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

  /// Creates a cache, empty or with the responses on disk.
  ///
  /// - Parameters:
  ///   - bytes: The approximate maximum memory for responses.
  ///   - disk: The store on disk; `nil` for none.
  ///   - rules: The times that are allowed beyond the server's times.
  public init(bytes: Int = 10_000_000, disk: DiskStore? = nil, rules: Rules = Rules()) {
    self.rules = rules
    self.disk = disk
    state = Locked(State(bytes: bytes))
  }

  /// The approximate memory that the responses occupy, in bytes.
  public var bytes: Int { state.withLock { $0.memory.bytes } }

  /// Removes all responses. Responses still in transit are not stored either.
  public func clear() {
    change({ $0.clear() }, onDisk: { $0.removeAll(and: $1) })
  }

  /// Returns the generation of a request's address.
  ///
  /// It changes with each change at that address and each ``clear()``. A response requested before
  /// the change is not stored.
  func generation(of request: URLRequest) -> Int {
    state.withLock { $0.generation(of: Self.address(request)) }
  }

  /// Finds a response, and judges its age by the endpoint's times or, if `nil`, by its header
  /// fields.
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

  /// Returns whether a stale response may be used because the server is unreachable.
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

  /// Removes the response at a request's address. Responses still in transit are not stored either.
  func invalidate(_ request: URLRequest) {
    let key = Self.address(request)
    change({ $0.invalidate(key) }, onDisk: { $0.remove(key, and: $1) })
  }

  /// Changes memory and disk together, so that readers and writers of the disk see both changes or
  /// none.
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
  /// Returns whether the request changed the resource at its address (RFC 9111 §4.4).
  ///
  /// That is the case if its method is not safe and the response is no error, regardless of the
  /// rules for responses.
  func hasChanged(_ request: URLRequest) -> Bool {
    guard !["GET", "HEAD", "OPTIONS", "TRACE"].contains(request.httpMethod),
      case .success(let answer) = self
    else { return false }
    return 200...399 ~= answer.status
  }
}

extension NetworkError {
  /// Whether the server is unreachable or failing (RFC 5861 §4), rather than refusing the request.
  ///
  /// A response with another content type counts too: it may be from a captive portal.
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
