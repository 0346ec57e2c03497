/// The rule by which what comes in a call belongs to the start of an app or to what the call asks
/// for.
///
/// Probes and the configuration are known by their keys, and what follows the redirect of one is
/// counted with it. Of a connection that fails nobody sees what it was for: it belongs to the start
/// until a request of the call's own has come.
struct StartRequests: Sendable {
  /// The facts that it needs of a call so far.
  struct Seen: Sendable {
    /// The number of attempts that belong to the start.
    var count = 0
    /// The redirects of a start's requests that nothing has followed yet.
    fileprivate var redirects = 0
    /// Tells whether a request of the call's own has come.
    fileprivate var hasOwn = false
    /// The origins of the servers that said other things at a probe than they must.
    private(set) var failedProbes: Set<String> = []
    /// The versions of the configuration that came, and that requests went by.
    private(set) var configuration = Observation.ConfigurationUse()
    /// So many versions of a kind are kept.
    private static let versionsMax = 8

    /// Notes what a request of the start was answered, or by what another one went.
    fileprivate mutating func note(_ outcome: Outcome, isOfStart: Bool, of startup: RecordedStartup)
    {
      func add(_ version: Int, to versions: inout [Int]) {
        if versions.count < Self.versionsMax, !versions.contains(version) {
          versions.append(version)
        }
      }
      let (request, faults) = (outcome.request, outcome.decision.faults)
      guard isOfStart else {
        if let version = startup.version(shownBy: request) { add(version, to: &configuration.used) }
        return
      }
      if startup.isProbe(request), (faults.version ?? 1) > 1, let origin = request.url.origin {
        failedProbes.insert(origin)
      }
      guard startup.isForConfiguration(request), case .recording(let recorded, _) = outcome.source,
        let served = RecordedStartup.served(recorded, with: faults)
      else { return }
      if served.isChanged {
        add(served.version, to: &configuration.changed)
      } else {
        add(served.version, to: &configuration.signed)
      }
    }
  }

  /// The requests of no start.
  static let none = StartRequests(keys: []) { _ in nil }

  private let keys: Set<String>
  private let startup: RecordedStartup?
  /// Returns the key of what a call asks for.
  private let own: @Sendable (Int) -> String?

  /// Makes one of the keys of a start's requests, none where the cassette has no start, and of that
  /// of each call's own request.
  init(
    keys: Set<String>,
    of startup: RecordedStartup? = nil,
    own: @escaping @Sendable (Int) -> String?
  ) {
    (self.keys, self.startup, self.own) = (keys, startup, own)
  }

  /// Makes the rule for the calls of a workload.
  init(of workload: Workload) {
    self.init(keys: workload.startKeys, of: workload.startup) { workload.key(of: $0).text }
  }

  /// Notes what the whole request of an attempt shows of its client's start.
  func note(_ outcome: Outcome, isOfStart: Bool, in seen: inout Seen) {
    if let startup { seen.note(outcome, isOfStart: isOfStart, of: startup) }
  }

  /// Tells whether an attempt belongs to the start, and notes it.
  ///
  /// - Parameters:
  ///   - key: The key of its request; `nil`: of a connection that failed.
  ///   - call: The number of its call.
  ///   - status: The status that it is answered with, where it is.
  ///   - seen: The facts of the call so far.
  /// - Returns: True where it is of the start.
  func take(_ key: String?, of call: Int, answered status: Int?, _ seen: inout Seen) -> Bool {
    if keys.isEmpty { return false }
    let isOfStart = isOfStart(key, of: call, &seen)
    if isOfStart {
      seen.count += 1
      if key != nil, let status, 300..<400 ~= status, status != 304 { seen.redirects += 1 }
    } else {
      seen.hasOwn = true
    }
    return isOfStart
  }

  private func isOfStart(_ key: String?, of call: Int, _ seen: inout Seen) -> Bool {
    guard let key else { return !seen.hasOwn }
    if keys.contains(key) { return true }
    guard seen.redirects > 0, key != own(call) else { return false }
    seen.redirects -= 1
    return true
  }
}
