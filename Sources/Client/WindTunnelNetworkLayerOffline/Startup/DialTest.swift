public import Foundation
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms

/// A test that finds the nearest of several servers by requesting known data from all of them at
/// once.
///
/// The time of a server is the median of its probes, from the request to the last byte. The
/// previous server, or else the first one given, is replaced only by one that is faster by more
/// than a margin. A server is out with its first response of other data, or when most of its probes
/// have failed. If none responds correctly, the order does not change.
///
/// Once a server is measured, the test waits for the others only while they can still be chosen. A
/// probe decides against its server if it takes four times as long as the server's median may be,
/// and at least `patience`. Such a server counts as slower, which is no failure. Its probe is
/// cancelled and not reported to a circuit breaker.
public struct DialTest: Sendable {
  /// The maximum number of servers. Further ones are not probed.
  public static let candidatesMax = 16
  /// The minimum length of probe data for an estimate of the speed, in bytes.
  public static let speedBytesMin = 8 << 10

  let candidates: [URL]
  private let path: String
  private let probe: Data
  private let samples: Int
  private let budget: Duration
  private let margin: Double
  private let patience: Duration
  private let memory: DialMemory?

  /// Creates a test of several servers.
  ///
  /// - Parameters:
  ///   - candidates: The base URLs of the servers, the preferred one first.
  ///   - path: The path that is requested from each server, such as `/probe`.
  ///   - probe: The expected data at this path.
  ///   - samples: The number of probes of each server.
  ///   - budget: The maximum duration of the test. Later responses count as failed.
  ///   - margin: The fraction in 0..<1 by which another server must be faster to replace the
  ///     previous one. At 0.25 a server with 1 s is replaced by a server with 749 ms, but not with
  ///     750 ms.
  ///   - patience: The minimum wait for each probe after another server is measured, because
  ///     shorter times can hardly be distinguished.
  ///   - memory: The memory of choices by network; `nil` to probe at each start.
  public init(
    candidates: [URL],
    path: String,
    expecting probe: Data,
    samples: Int = 3,
    budget: Duration = .seconds(1),
    margin: Double = 0.25,
    patience: Duration = .milliseconds(25),
    remembering memory: DialMemory? = nil
  ) {
    self.candidates = Array(candidates.prefix(Self.candidatesMax))
    (self.path, self.probe, self.samples) = (path, probe, max(1, samples))
    (self.budget, self.margin, self.patience) = (budget, margin, patience)
    self.memory = memory
  }

  /// Probes the servers, or uses the choice remembered for this network, and returns their order.
  ///
  /// - Parameters:
  ///   - network: The name of the network from the app or its monitor; `nil` if it is unknown, in
  ///     which case nothing is remembered.
  ///   - transport: The transport of the probes.
  ///   - admission: The controller whose circuit breakers receive the probes' outcomes. A server
  ///     with an open circuit is not probed.
  ///   - time: The source of time.
  ///   - isRenewal: Whether to probe even if a choice is remembered.
  /// - Returns: The servers in their order, with the measurements.
  @concurrent
  public func run(
    on network: String?,
    by transport: any Transport,
    feeding admission: AdmissionController? = nil,
    time: any TimeSource = SystemTime(),
    isRenewal: Bool = false
  ) async -> DialRecord {
    let begin = time.uptime
    let memory = network == nil ? nil : self.memory
    let before = network.flatMap { memory?.choice(on: $0, among: candidates) }
    var record = DialRecord(network: network, servers: candidates)
    if let before, !isRenewal, memory?.isFresh(before, at: time.date) ?? false {
      record.order = order(from: before.url, record.candidates)
      (record.isRemembered, record.bytesPerSecond) = (true, before.bytesPerSecond)
      record.elapsed = time.uptime - begin
      return record
    }
    record.candidates = await probed(by: transport, feeding: admission, time, instead: before?.url)
    let choice = choice(of: record.candidates, instead: before?.url)
    record.order = order(from: choice?.url ?? before?.url, record.candidates)
    record.bytesPerSecond = choice?.bytesPerSecond
    record.elapsed = time.uptime - begin
    if let choice, let network {
      memory?.keep(
        DialMemory.Choice(url: choice.url, bytesPerSecond: choice.bytesPerSecond, date: time.date),
        on: network
      )
    }
    return record
  }

  /// Returns the fastest server, or the previous one if it is hardly slower; `nil` if none
  /// responds.
  func choice(of found: [DialRecord.Candidate], instead before: URL?) -> DialRecord.Candidate? {
    let alive = found.filter { $0.median != nil }
    guard let best = alive.min(by: Self.isFaster) else { return nil }
    let current = alive.first { $0.url == before ?? candidates.first }
    guard let current, let time = current.median, let least = best.median else { return best }
    return least.seconds < time.seconds * (1 - margin) ? best : current
  }

  /// Returns the servers in order: the chosen one, the measured ones by time, slower ones, then the
  /// rest.
  ///
  /// Servers without a time keep the given order.
  private func order(from first: URL?, _ found: [DialRecord.Candidate]) -> [URL] {
    let alive = found.filter { $0.median != nil }.sorted(by: Self.isFaster).map(\.url)
    let slower = found.filter { $0.slowerThan != nil }.map(\.url)
    var order: [URL] = []
    for url in [first].compactMap(\.self) + alive + slower + candidates
    where !order.contains(url) { order.append(url) }
    return order
  }

  private static func isFaster(_ one: DialRecord.Candidate, _ other: DialRecord.Candidate) -> Bool {
    guard let time = one.median, let others = other.median else { return one.median != nil }
    return time < others
  }

  /// Probes all servers at once, and returns when the choice is decided or the budget is spent.
  private func probed(
    by transport: any Transport,
    feeding admission: AdmissionController?,
    _ time: any TimeSource,
    instead before: URL?
  ) async -> [DialRecord.Candidate] {
    let race = Locked(
      DialRace(candidates, samples: samples, margin: margin, patience: patience, from: before)
    )
    let isSpent = Locked(false)
    let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    await withTaskGroup(of: Void.self) { group in
      for (place, url) in candidates.enumerated() {
        group.addTask {
          await probe(url, by: transport, feeding: admission, time, isSpent) { found, sent in
            race.withLock { $0.note(found, at: place, sent: sent) }
            change.yield()
          }
        }
      }
      // The budget begins with the probes: if a busy device sends them late, the test ends later,
      // too.
      group.addTask {
        do { try await time.sleep(for: budget) } catch { return }
        isSpent.withLock { $0 = true }
        change.yield()
      }
      // Without candidates, no other task would yield.
      change.yield()
      var due: Duration?
      for await _ in changes {
        let (end, isOver) = race.withLock { ($0.end, $0.isOver) }
        if isOver || isSpent.withLock({ $0 }) { break }
        guard let end else { continue }
        guard time.uptime < end else {
          race.withLock { $0.leave() }
          break
        }
        guard end != due else { continue }
        due = end
        group.addTask {
          // A cancelled task is not waited for.
          try? await time.sleep(for: end - time.uptime)
          // Responses that have arrived but are not processed yet count.
          await Task.yield()
          change.yield()
        }
      }
      group.cancelAll()
    }
    return race.withLock(\.candidates)
  }

  /// Probes one server, and reports its results at each sent probe, with the time, and at the end.
  private func probe(
    _ url: URL,
    by transport: any Transport,
    feeding admission: AdmissionController?,
    _ time: any TimeSource,
    _ isSpent: Locked<Bool>,
    _ tell: (_ found: DialRecord.Candidate, _ sent: Duration?) -> Void
  ) async {
    var candidate = DialRecord.Candidate(url)
    var speeds: [Double] = []
    let most = samples / 2 + 1
    defer { tell(candidate, nil) }
    while candidate.requests < samples, candidate.requests - candidate.samples.count < most {
      guard !Task.isCancelled else {
        candidate.failure = reason(isSpent)
        break
      }
      guard let request = request(for: url) else {
        candidate.failure = "the URL cannot have a path"
        break
      }
      let place = RateLimits.Endpoint(host: url.origin, method: "GET", endpoint: path)
      let permit = admission?.admit(place.host) ?? .go
      if case .refused = permit {
        candidate.failure = "its circuit is open"
        break
      }
      candidate.requests += 1
      let begin = time.uptime
      tell(candidate, begin)
      let (outcome, head) = await answer(to: request, by: transport, time)
      admission?.report(place, permit, told(outcome, isSpent: isSpent.withLock { $0 }))
      switch outcome {
      case .failure(.cancelled): candidate.failure = reason(isSpent)
      case .failure(let error): candidate.failure = error.asNetworkError.description
      case .success(let answer) where answer.status != 200:
        candidate.failure = "it sent status \(answer.status)"
      case .success(let answer) where answer.body != probe:
        candidate.failure = "it sent other data"
        candidate.samples = []
        return
      case .success:
        let end = time.uptime
        candidate.samples.append(end - begin)
        speeds.append(Double(probe.count) / max(1e-6, (end - head).seconds))
      }
    }
    if candidate.samples.count >= most {
      candidate.median = candidate.samples.sorted()[candidate.samples.count / 2]
      if probe.count >= Self.speedBytesMin {
        candidate.bytesPerSecond = speeds.sorted()[speeds.count / 2]
      }
    }
  }

  private func reason(_ isSpent: Locked<Bool>) -> String {
    isSpent.withLock { $0 } ? "the budget was spent" : "the test was cancelled"
  }

  /// Returns the outcome for a circuit breaker.
  ///
  /// Other data than the probe's is a failure, because it may not be from the server. A server that
  /// was silent until the end has failed, too.
  private func told(_ outcome: AttemptOutcome, isSpent: Bool) -> AttemptOutcome {
    switch outcome {
    case .success(let answer) where answer.status == 200 && answer.body != probe:
      .failure(.failed(.malformedResponse, text: "other data than the probe's"))
    case .failure(.cancelled) where isSpent:
      .failure(.failed(.timedOut, text: "no response within the budget"))
    case .success, .failure: outcome
    }
  }

  /// Returns the response and the arrival time of its head.
  ///
  /// It reads at most one byte more of the content than the probe data has.
  private func answer(
    to request: URLRequest,
    by transport: any Transport,
    _ time: any TimeSource
  ) async -> (AttemptOutcome, head: Duration) {
    var head = time.uptime
    do throws(TransportError) {
      let answer = try await transport.open(request, Upload())
      head = time.uptime
      return (.success(try await answer.collected(to: probe.count + 1)), head)
    } catch {
      return (.failure(error), head)
    }
  }

  private func request(for url: URL) -> URLRequest? {
    guard let url = URL(string: url.absoluteString.withoutSlash + path) else { return nil }
    var request = URLRequest(url: url)
    // The budget ends the probe first, and is reported as the reason.
    request.timeoutInterval = budget.seconds + 60
    request.cachePolicy = .reloadIgnoringLocalCacheData
    return request
  }
}
