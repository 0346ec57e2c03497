internal import Foundation
internal import WindTunnel

/// One subject in one scenario: the calls, the processes they take, and what became of each.
struct Sortie {
  let orders: Orders
  let scenario: Scenario
  let itinerary: Itinerary
  let process: ChildProcess
  let progress: @Sendable (Int) -> Void

  /// Flies all calls; a crash or a hang ends a process, not the sortie.
  func fly() async throws -> [Observation] {
    var left = orders.calls
    var landed: [Observation] = []
    while !left.isEmpty {
      let log = try await run(left, concurrency: orders.concurrency)
      landed += log.landed
      left.removeAll { number in log.landed.contains { $0.call == number } }
      switch log.ending {
      case .orderly:
        // Nothing may be lost, and nothing may be flown for ever.
        if !left.isEmpty, log.landed.isEmpty {
          throw DrillError.harness("the subject's process ended without having made its calls")
        }
      case .silenced:
        landed += log.inAir.map { fallen($0, .hung, log) }
        left.removeAll { log.inAir.contains($0) }
        if log.inAir.isEmpty, log.landed.isEmpty {
          throw DrillError.harness("the subject's process did not begin within its deadline")
        }
      case .crashed:
        if log.inAir.isEmpty, log.landed.isEmpty {
          throw DrillError.harness("the subject's process crashed before its first call")
        }
        for number in log.inAir { landed.append(try await alone(number, log)) }
        left.removeAll { log.inAir.contains($0) }
      }
      progress(landed.count)
    }
    return landed.sorted { $0.call < $1.call }
  }

  /// Of several calls that were in the air at a crash one is to blame. Each is flown again by
  /// itself: it meets the same decisions, since its lane is its own.
  private func alone(_ number: Int, _ log: Log) async throws -> Observation {
    if log.inAir.count == 1 { return fallen(number, .crashed, log) }
    let again = try await run([number], concurrency: 1)
    if let observation = again.landed.first { return observation }
    return fallen(number, again.ending == .silenced ? .hung : .crashed, again)
  }

  private func fallen(_ number: Int, _ ending: Observation.Ending, _ log: Log) -> Observation {
    let request = itinerary.request(of: number)
    let attempts = log.attempts[number] ?? []
    return Observation(
      call: number,
      endpoint: itinerary.endpoint(of: number),
      isCritical: scenario.isCritical(request),
      ending: ending,
      showed: false,
      latency: .milliseconds(orders.deadlineMilliseconds),
      attemptCount: attempts.isEmpty ? nil : attempts.count,
      attempts: attempts
    )
  }

  private struct Log: Sendable {
    var attempts: [Int: [Observation.Attempt]] = [:]
    var landed: [Observation] = []
    var inAir: [Int] = []
    var refusal: String?
    var ending = ChildProcess.Ending.orderly
  }

  private func run(_ calls: [Int], concurrency: Int) async throws -> Log {
    var orders = orders
    orders.calls = calls
    orders.concurrency = concurrency
    let log = Locked(Log())
    let before = self.orders.calls.count - calls.count
    // Beyond a call's own patience: time to start, and for a machine that is busy.
    let silence = orders.patience + .seconds(15)
    let ending = try await process.run(orders, silence: silence) { telegram in
      let count = log.withLock { log -> Int? in
        switch telegram {
        case .began(let call): log.inAir.append(call)
        case .attempt(let call, let attempt): log.attempts[call, default: []].append(attempt)
        case .refused(let reason): log.refusal = reason
        case .ended(var observation):
          observation.attempts = log.attempts.removeValue(forKey: observation.call) ?? []
          log.inAir.removeAll { $0 == observation.call }
          log.landed.append(observation)
          return log.landed.count
        }
        return nil
      }
      if let count { progress(before + count) }
    }
    return try log.withLock { log in
      if let refusal = log.refusal { throw DrillError.harness(refusal) }
      log.ending = ending
      return log
    }
  }
}
