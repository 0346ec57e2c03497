import Mutations
import TestSupport

@testable import WindTunnelReports

/// Calls whose figures can be counted by hand.
@Suite struct FiguresOfCallsTests {
  private typealias F = Flights

  @Test func `retries, amplification and what the transport sent by itself are counted`() {
    var calls = [
      F.call(0, start: 0, [F.attempt("", 0), F.attempt("", 10), F.attempt("", 20)]),
      F.call(1, start: 500, [F.attempt("", 500)]),
      F.call(2, start: 1200, [F.attempt("", 1200), F.attempt("", 1250)]),
      F.call(3, start: 2000, []),
    ]
    for (place, sent) in [1, 1, 2, 0].enumerated() { calls[place].clientAttempts = sent }
    let metrics = Metrics(calls)
    expectEqual(metrics.averageRetries, 0.75)
    #expect(metrics.retriesMax == 2 && metrics.retriesP95 == 2)
    expectEqual(metrics.callsByRetries, [2, 1, 1])
    expectEqual(metrics.amplification, 1.5)
    // Two calls began in the first second, and made four attempts.
    expectEqual(metrics.worstSecondAmplification, 2)
    expectEqual(metrics.silentRetries, 2)
    // Of tenths of a second from the first retry to the last there are 13, with 2, 0, … and 1.
    expectEqual(metrics.thunderingHerdIndex, 2.0 * 13 / 3)
    calls[1].clientAttempts = nil
    expectNil(Metrics(calls).silentRetries, "one call did not say")
    calls[1].attemptCount = nil
    let unseen = Metrics(calls)
    #expect(unseen.amplification == nil && unseen.duplicates == nil && unseen.backoff == nil)
  }

  @Test func `unobserved retries are the client's own count, if every call reports one`() {
    var calls = [
      F.call(0, [F.attempt("", 0), F.attempt("", 10)]), F.call(1), F.call(2), F.call(3),
    ]
    expectEqual(Metrics(calls).callsByOwnWord, 0, "what was seen needs no word")
    for (place, sent) in [(1, 1), (2, 3), (3, 0)] {
      (calls[place].attemptCount, calls[place].attempts) = (nil, [])
      calls[place].clientAttempts = sent
    }
    let metrics = Metrics(calls)
    expectEqual(metrics.averageRetries, 0.75)
    expectEqual(metrics.callsByOwnWord, 3)
    // What a server saw is nobody's word.
    #expect(metrics.amplification == nil && metrics.firstTrySuccessRate == nil)
    #expect(metrics.retriesMax == nil && metrics.silentRetries == nil)
    var parts = Tally()
    for call in calls.reversed() {
      var one = Tally()
      one.add(call)
      parts.merge(one)
    }
    #expect(Metrics(parts).averageRetries == 0.75 && Metrics(parts).callsByOwnWord == 3)
    calls[2].clientAttempts = nil
    expectNil(Metrics(calls).averageRetries, "of one nobody knows")
  }

  /// Expects the share of retries that waited long enough, by the time of the retry. No retry is
  /// judged if the client was cut off before.
  private static func expectCompliance(
    of calls: (Int) -> [Observation],
    _ shares: [(Int, Double)]
  ) {
    for (time, share) in shares {
      var calls = calls(time)
      let metrics = Metrics(calls)
      expectEqual(metrics.retryAfterCompliance, share, "\(time) ms")
      expectEqual(metrics.earlyRetries, share == 1 ? 0 : 1)
      calls[0].attempts[0].error = "connectionLost"
      expectNil(Metrics(calls).retryAfterCompliance, "who is cut off has not heard of it")
    }
  }

  @Test func `a retry is early if it comes more than 5 ms before it was asked to`() {
    func calls(_ gap: Int) -> [Observation] {
      var refused = F.attempt(F.unavailable, 100, to: 110)
      refused.retryAfter = .seconds(1)
      return [F.call(0, [refused, F.attempt("", 110 + gap)])]
    }
    Self.expectCompliance(of: calls, [(1000, 1.0), (995, 1), (994, 0), (0, 0), (5000, 1)])
    expectNil(Metrics([F.call()]).retryAfterCompliance, "nothing was asked")
    var unseen = calls(0)
    unseen[0].attempts[1].start = nil
    expectNil(Metrics(unseen).retryAfterCompliance)
  }

  @Test func `a date is kept to by whoever comes at that very moment`() {
    func calls(_ start: Int?) -> [Observation] {
      var refused = F.attempt(F.unavailable, 100, to: 400)
      // Made of a second and sent as 700 ms ahead, for a date has no parts of a second.
      (refused.retryAfter, refused.retryNotBefore) = (.seconds(1), .milliseconds(800))
      return [F.call(0, [refused, F.attempt("", start)])]
    }
    Self.expectCompliance(of: calls, [(800, 1.0), (795, 1), (794, 0), (100, 0), (1400, 1)])
    expectNil(Metrics(calls(nil)).retryAfterCompliance)
  }

  @Test func `only what must not come twice is a duplicate, and only if it came`() {
    func duplicates(_ edit: (inout Observation.Attempt) -> Void) -> Int? {
      var attempt = F.attempt("", 0, key: "POST /payments")
      edit(&attempt)
      return Metrics([F.call(0, [attempt, attempt, attempt]), F.call(1, [attempt])]).duplicates
    }
    expectEqual(duplicates { $0.isRepeatable = false }, 2)
    expectEqual(duplicates { $0.isRepeatable = true }, 0)
    expectNil(duplicates { $0.isRepeatable = nil })
    expectEqual(duplicates { ($0.isRepeatable, $0.source) = (nil, .played(.connection)) }, 0)
  }

  @Test func `a post to another place is no duplicate`() {
    var post = F.attempt("", 0, key: "POST /payments")
    post.isRepeatable = false
    var other = F.attempt("", 0, key: "POST /receipts")
    other.isRepeatable = false
    func duplicates(_ attempts: Observation.Attempt...) -> Int? {
      Metrics([F.call(0, attempts)]).duplicates
    }
    expectEqual(duplicates(post, post), 1)
    expectEqual(duplicates(post, post, post), 2)
    expectEqual(duplicates(post, other), 0, "a call that posts to two places posts nothing twice")
    expectEqual(duplicates(post, other, post, other), 2)
  }

  @Test func `stages of attempts are summarised separately, and unobserved stages are nil`() {
    var first = F.attempt("", 0)
    first.stages.connect = .milliseconds(100)
    first.stages.firstByte = .milliseconds(30)
    var second = F.attempt("", 0)
    second.stages.firstByte = .milliseconds(10)
    let stages = Metrics([F.call(0, [first, second]), F.call(1)]).stages
    expectEqual(stages.map(\.stage), ["dns", "connect", "tls", "upload", "firstByte", "body"])
    expectEqual(stages.map(\.attempts), [0, 1, 0, 0, 2, 0])
    expectEqual(stages.map(\.p50), [nil, .milliseconds(100), nil, nil, .milliseconds(10), nil])
    expectEqual(stages.map(\.max), [nil, .milliseconds(100), nil, nil, .milliseconds(30), nil])
  }

  /// Calls that end so many milliseconds after the weather has cleared.
  private static func after(_ ends: [(Int, Bool)]) -> [Observation] {
    ends.enumerated().map { number, end in
      var call = F.call(number, end.1 ? .succeeded : .failed("timedOut"))
      call.afterWindow = .milliseconds(end.0)
      return call
    }
  }

  @Test func `recovery is the first success after the scenario, and the fifth in a row`() {
    let lucky = Self.after([
      (10, false), (20, true), (30, false), (90, true), (40, true), (50, true), (60, true),
      (80, true),
    ])
    var before = F.call(99)
    before.afterWindow = nil
    for calls in [lucky + [before], (lucky + [before]).reversed()] {
      let metrics = Metrics(calls)
      expectEqual(metrics.firstRecovery, .milliseconds(20))
      expectEqual(metrics.steadyRecovery, .milliseconds(90))
    }
    let never = Metrics(Self.after([(10, false), (20, true), (30, false)]))
    #expect(never.firstRecovery == .milliseconds(20) && never.steadyRecovery == nil)
    let none = Metrics([before])
    #expect(none.firstRecovery == nil && none.steadyRecovery == nil)
  }

  @Test func `of very many calls after the scenario the first ones count, however they are merged`()
  {
    let calls = (0..<3000).map { number in
      var call = F.call(number, number < 700 ? .failed("timedOut") : .succeeded)
      call.afterWindow = .milliseconds(number)
      return call
    }
    var generator = Generator(seed: 3)
    var shards = (0..<8).map { shard in
      MetricsAccumulator(calls.filter { $0.call % 8 == shard }.shuffled(using: &generator))
    }
    shards.shuffle(using: &generator)
    var whole = MetricsAccumulator()
    for shard in shards { whole.merge(shard) }
    expectEqual(whole.metrics.firstRecovery, .milliseconds(700))
    expectEqual(whole.metrics.steadyRecovery, .milliseconds(704))
    expectEqual(MetricsAccumulator(calls).metrics, whole.metrics)
  }

  @Test func `the waits before retries are told by their number, and a redirect is none`() {
    let call = F.call(
      0,
      [
        F.attempt("", 0, to: 5), F.attempt("", 105, to: 110), F.attempt("", 310, to: 311),
        F.attempt("", 320, key: "GET /elsewhere"),
      ]
    )
    var other = call
    other.attempts[1].start = .milliseconds(205)
    expectEqual(Metrics([call]).averageRetries, 2, "another endpoint is no retry either")
    for (status, key, retries) in [
      (302, "GET /home", 0), (302, "GET /b", 0), (200, "GET /b", 0), (503, "GET /home", 1),
    ] {
      var moved = F.call(0, [F.attempt("", 0, to: 5), F.attempt("", 9, key: key)])
      moved.attempts[0].status = status
      expectEqual(Metrics([moved]).averageRetries, Double(retries), "\(status)")
    }
    let backoff = Metrics([call, other]).backoff
    expectEqual(backoff?.map(\.retry), [1, 2])
    expectEqual(backoff?.first?.count, 2)
    #expect(backoff?.first?.min == .milliseconds(100) && backoff?.first?.max == .milliseconds(200))
    expectEqual(backoff?.first?.median, .milliseconds(100))
    // A mean of 150 and a deviation of 70.7.
    #expect(abs((backoff?.first?.variation ?? 0) - 0.471405) < 1e-6)
    expectEqual(Metrics([call, call]).backoff?.first?.variation, 0, "no jitter")
  }

  @Test func `ends are told by what a call met`() {
    let metrics = Metrics([
      F.call(0), F.call(1, .failed("timedOut")),
      F.call(2, [F.attempt(F.unavailable, 0, to: 2), F.attempt(F.reset, 50), F.attempt("", 90)]),
      F.call(3, .failed("status 503"), [F.attempt(F.unavailable, 0), F.attempt(F.unavailable, 9)]),
      F.call(4, .crashed, [F.attempt(F.reset, 0)]), F.call(5, .hung, [F.attempt(F.reset, 0)]),
    ])
    expectEqual(
      metrics.endings.map { "\($0.fault) \($0.ending) \($0.calls)" },
      [
        "none succeeded 1", "none timedOut 1", "reset crashed 1", "reset hung 1",
        "reset succeeded 1", "status 503 status 503 1", "status 503 succeeded 1",
      ]
    )
    expectEqual(
      metrics.faults.map { "\($0.fault) \($0.attempts) \($0.noticed)" },
      ["reset 3 3", "status 503 3 3"]
    )
    expectEqual(metrics.unexpectedErrors, 1)
    expectEqual(metrics.recoveredRate, 0.25, "of four calls that met something one recovered")
    // The call ended 10 ms after its start, which is before the last fault: nothing is made of that.
    expectEqual(metrics.recoveryP95, .zero)
  }

  @Test func `an unobserved call does not count as a call without faults`() {
    var calls = [F.call(0, .failed("connectionRefused"), []), F.call(1, .succeeded, [])]
    expectEqual(Metrics(calls).unexpectedErrors, 1)
    for place in calls.indices { calls[place].attemptCount = nil }
    let metrics = Metrics(calls)
    expectNil(metrics.unexpectedErrors)
    expectEqual(metrics.endings.map(\.fault), ["unseen", "unseen"])
  }

  @Test func `an error that was recorded is not unexpected`() {
    func call(_ number: Int, lastly status: Int) -> Observation {
      var attempt = F.attempt("", 0)
      attempt.status = status
      return F.call(number, .failed("status \(status)"), [attempt])
    }
    expectEqual(Metrics([call(0, lastly: 404), call(1, lastly: 503)]).unexpectedErrors, 0)
    expectEqual(Metrics([call(0, lastly: 200)]).unexpectedErrors, 1)
  }

  @Test func `recovery counts from the last fault`() {
    let call = F.call(
      0,
      start: 1000,
      milliseconds: 700,
      [F.attempt(F.unavailable, 1000), F.attempt(F.reset, 1200), F.attempt("", 1500)]
    )
    expectEqual(Metrics([call]).recoveryP95, .milliseconds(500))
    expectNil(Metrics([F.call()]).recoveryP95)
  }

  @Test func `a fault that nobody noticed fired all the same`() {
    let metrics = Metrics([F.call(0, [F.attempt(#"{"delayMilliseconds":5}"#, 0)])])
    expectEqual(metrics.faults, [.init(fault: "delay", attempts: 1, noticed: 0)])
    expectEqual(metrics.recoveredRate, 0, "it did not have to try again")
  }

  @Test func `a call that its caller gave up is no success, no failure and in no latency`() {
    var given = F.call(0, .failed("cancelled"), milliseconds: 9000)
    given.cancellation = .init(after: .seconds(1), toReturn: .milliseconds(4), attemptsAfter: 2)
    let metrics = Metrics([given, F.call(1)])
    #expect(metrics.calls == 2 && metrics.cancelledCalls == 1)
    #expect(metrics.successRate == 1 && metrics.max == .milliseconds(10))
    #expect(metrics.blankScreens == 0 && metrics.averageRetries == 0)
    #expect(metrics.attemptsAfterCancel == 2 && metrics.cancelReturnP95 == .milliseconds(4))
    #expect(metrics.endings.contains { $0.ending == "given up" })
    given.cancellation?.attemptsAfter = nil
    expectNil(Metrics([given]).attemptsAfterCancel, "it was not seen")
    expectNil(Metrics([given]).successRate, "there is nothing to judge")
    var hung = given
    hung.ending = .hung
    expectEqual(Metrics([hung]).hangs, 1, "one that never returns hangs, whoever gave it up")
    expectEqual(Metrics([hung]).successRate, 0)
  }

  @Test func `a body that is not the recorded one counts only where the call succeeded`() {
    var (right, wrong, failed) = (F.call(0), F.call(1), F.call(2, .failed("truncated")))
    (right.bodyMatches, wrong.bodyMatches, failed.bodyMatches) = (true, false, false)
    expectEqual(Metrics([right, wrong, failed]).silentTruncations, 1)
    expectNil(Metrics([F.call()]).silentTruncations)
    (right.isStale, wrong.isStale) = (true, false)
    expectEqual(Metrics([right, wrong, failed]).staleServed, 1)
    expectNil(Metrics([failed]).staleServed)
  }

  @Test func `failures have latencies of their own`() {
    let metrics = Metrics([
      F.call(0, milliseconds: 10), F.call(1, .failed("timedOut"), milliseconds: 500),
      F.call(2, .hung, milliseconds: 900),
    ])
    #expect(metrics.succeeded.p95?.value == .milliseconds(10) && metrics.succeeded.calls == 1)
    #expect(metrics.failed.p95?.value == .milliseconds(900) && metrics.failed.calls == 2)
    #expect(metrics.latency.calls == 3 && metrics.p50 == .milliseconds(500))
  }
}
