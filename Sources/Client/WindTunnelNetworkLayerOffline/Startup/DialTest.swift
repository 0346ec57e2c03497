public import Foundation
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A test that finds the nearest of several servers: each is asked for known data, all at once.
///
/// The time of a server is the median of its probes, from the request to the last byte. The server
/// of before, or the first one given, is left only for one that is faster by more than a margin.
/// One that answers with other data is out at its first answer, and one that fails as soon as most
/// of its probes have. Where none answers rightly the order stays as it was.
///
/// Once a server is measured, the others are waited for only while they can still be chosen: a
/// probe that is out for four times as long as its server's median may be, and for `patience` at
/// least, decides against it. It is left as slower, which is no failure: its probe is given up, and
/// no circuit breaker hears of it.
public struct DialTest: Sendable {
  /// The greatest number of servers; those behind it are not probed.
  public static let candidatesMax = 16
  /// The least length of probe data of which a speed is estimated, in bytes.
  public static let speedBytesMin = 8 << 10

  let candidates: [URL]
  private let path: String
  private let probe: Data
  private let samples: Int
  private let budget: Duration
  private let margin: Double
  private let patience: Duration
  private let memory: DialMemory?

  /// Makes a test.
  ///
  /// - Parameters:
  ///   - candidates: The base URLs of the servers, the preferred one first.
  ///   - path: The path that is asked below each, such as `/probe`.
  ///   - probe: The data that a server has there.
  ///   - samples: The number of probes of each server.
  ///   - budget: The longest time of the test; what has not come by then counts as failed.
  ///   - margin: The part of its time by which the server of before has to be slower than another
  ///     to be left, in 0..<1: at 0.25 one of 1 s is kept beside one of 750 ms, and left for one of
  ///     749 ms.
  ///   - patience: The time for which each probe is waited for at least when another server is
  ///     measured, since times below it are hardly told apart.
  ///   - memory: The memory of choices by network; `nil`: each start probes.
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

  /// Probes the servers, or remembers the choice on this network, and returns their order.
  ///
  /// - Parameters:
  ///   - network: The name of the network, as the host or its monitor says it; `nil`: it is not
  ///     known, and nothing is remembered.
  ///   - transport: The transport of the probes.
  ///   - admission: The controller whose circuit breakers hear of the probes; a server that it does
  ///     not let be asked is not probed.
  ///   - time: The source of time.
  ///   - isRenewal: Tells whether it probes, whatever it remembers.
  /// - Returns: The servers in their order, with what was measured.
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

  /// Returns the fastest, unless that of before is hardly slower; `nil` where none answers.
  func choice(of found: [DialRecord.Candidate], instead before: URL?) -> DialRecord.Candidate? {
    let alive = found.filter { $0.median != nil }
    guard let best = alive.min(by: Self.isFaster) else { return nil }
    let current = alive.first { $0.url == before ?? candidates.first }
    guard let current, let time = current.median, let least = best.median else { return best }
    return least.seconds < time.seconds * (1 - margin) ? best : current
  }

  /// The chosen one, then those that answer by their times, those that were left as slower, and
  /// the others; where times say nothing, as they were given.
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

  /// Probes all at once, and ends when it is decided or the budget is spent.
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
      // The budget begins with the probes: where a busy device is late with those, so is its end.
      group.addTask {
        do { try await time.sleep(for: budget) } catch { return }
        isSpent.withLock { $0 = true }
        change.yield()
      }
      // There may be no candidate, who would say something.
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
          // Whoever is cancelled is not waited for.
          try? await time.sleep(for: end - time.uptime)
          // Answers that have come meanwhile, and wait for their turn, count.
          await Task.yield()
          change.yield()
        }
      }
      group.cancelAll()
    }
    return race.withLock(\.candidates)
  }

  /// Probes one server, and tells what was found of it so far, each time that a probe is sent, with
  /// the time, and at the end.
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
        candidate.failure = "the URL can have no path"
        break
      }
      let place = RateLimits.Place(host: url.origin, method: "GET", endpoint: path)
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
        candidate.failure = "it answered with status \(answer.status)"
      case .success(let answer) where answer.body != probe:
        candidate.failure = "it answered with other data"
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

  /// Returns what a circuit breaker is to hear: a page in the place of the probe data is no sign of
  /// the server, and one that was silent until the end has failed.
  private func told(_ outcome: AttemptOutcome, isSpent: Bool) -> AttemptOutcome {
    switch outcome {
    case .success(let answer) where answer.status == 200 && answer.body != probe:
      .failure(.failed(.malformedResponse, text: "other data than the probe's"))
    case .failure(.cancelled) where isSpent:
      .failure(.failed(.timedOut, text: "no answer within the budget"))
    case .success, .failure: outcome
    }
  }

  /// Returns the answer and the time at which its head came; of its content no more is read than
  /// shows whether it is the probe's.
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
    // The budget is the one that ends it, and tells so.
    request.timeoutInterval = budget.seconds + 60
    request.cachePolicy = .reloadIgnoringLocalCacheData
    return request
  }
}
