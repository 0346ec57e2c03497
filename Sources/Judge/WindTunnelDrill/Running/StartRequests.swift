/// Decides whether a request of a call belongs to the start of an app or to the call itself.
///
/// Requests for probes and the configuration are recognised by their keys, and a request that
/// follows their redirects belongs to the start, too. The purpose of a failed connection is not
/// visible. It counts as part of the start until the call has made a request of its own.
struct StartRequests: Sendable {
  /// The facts about a call that the decision needs.
  struct Facts: Sendable {
    /// The number of attempts that belong to the start.
    var count = 0
    /// The number of redirects of start requests that no request has followed yet.
    fileprivate var redirects = 0
    /// Whether the call has made a request of its own.
    fileprivate var hasOwn = false
    /// The origins of the servers that responded incorrectly to a probe.
    private(set) var failedProbes: Set<String> = []
    /// The versions of the configuration that the client received, and that requests used.
    private(set) var configuration = Observation.ConfigurationUse()
    /// The maximum number of versions of each kind.
    private static let versionsMax = 8

    /// Records the response to a request of the start, or the version that another request used.
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

  /// The rule for a cassette without a start.
  static let none = StartRequests(keys: []) { _ in nil }

  /// The keys of a start's requests; empty if the cassette has no start.
  let keys: Set<String>
  /// The start of the app.
  var startup: RecordedStartup?
  /// Returns the key of a call's own request.
  let own: @Sendable (Int) -> String?

  /// Records the facts about its client's start that the whole request of an attempt shows.
  func note(_ outcome: Outcome, isOfStart: Bool, in seen: inout Facts) {
    if let startup { seen.note(outcome, isOfStart: isOfStart, of: startup) }
  }

  /// Records an attempt, and returns whether it belongs to the start.
  ///
  /// - Parameters:
  ///   - key: The key of its request, or `nil` for a failed connection.
  ///   - call: The number of its call.
  ///   - status: The status of its response, or `nil` if there is none.
  ///   - seen: The facts about the call so far.
  /// - Returns: Whether the attempt belongs to the start.
  func take(_ key: String?, of call: Int, answered status: Int?, _ seen: inout Facts) -> Bool {
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

  private func isOfStart(_ key: String?, of call: Int, _ seen: inout Facts) -> Bool {
    guard let key else { return !seen.hasOwn }
    if keys.contains(key) { return true }
    guard seen.redirects > 0, key != own(call) else { return false }
    seen.redirects -= 1
    return true
  }
}
