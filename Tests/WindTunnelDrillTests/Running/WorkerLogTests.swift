import TestSupport

@testable import WindTunnelDrill

/// What becomes of the messages of a subject's process about one call.
@Suite struct WorkerLogTests {
  /// A call that began at 100 ms and lasted for 50.
  private static func ended(_ ending: Observation.CallResult) -> Observation {
    var call = Observation(0, "GET /a", ending, showed: false, latency: .milliseconds(50))
    call.start = .milliseconds(100)
    return call
  }

  private static func attempt(_ start: Int, status: Int? = nil) -> Observation.Attempt {
    var attempt = Observation.Attempt("s/0\tGET /a\t1\t[]")
    (attempt.start, attempt.status) = (.milliseconds(start), status)
    return attempt
  }

  private static func end(_ place: Int, at moment: Int, body: Int? = nil) -> WorkerMessage {
    var end = WorkerMessage.AttemptEnd(place: place, at: .milliseconds(moment))
    end.stages.body = body.map { .milliseconds($0) }
    return .attemptEnded(call: 0, end)
  }

  private static func call(_ messages: WorkerMessage...) throws -> Observation {
    var log = WorkerLog()
    for message in [.began(0, at: .zero)] + messages { _ = log.apply(message) }
    return try #require(log.finished.first)
  }

  @Test(arguments: [true, false])
  func `no attempt ends after its call, whichever is told first`(isToldLate: Bool) throws {
    let attempts = [
      WorkerMessage.attempt(call: 0, Self.attempt(110)),
      .attempt(call: 0, Self.attempt(130)),
    ]
    let ends = [Self.end(0, at: 120, body: 5), Self.end(1, at: 190, body: 45)]
    let call = WorkerMessage.ended(Self.ended(.failed("timedOut")))
    var log = WorkerLog()
    let rest = isToldLate ? [call] + ends : ends + [call]
    for message in [.began(0, at: .zero)] + attempts + rest { _ = log.apply(message) }
    let seen = try #require(log.finished.first).attempts
    expectEqual(seen.map(\.end), [.milliseconds(120), .milliseconds(150)])
    expectEqual(seen.map(\.stages.body), [.milliseconds(5), .milliseconds(5)])
    expectEqual(seen.map(\.isOpenAtEnd), [false, true])
  }

  @Test func `what ends just after a call that went well was not left open`() throws {
    let seen = try Self.call(
      .attempt(call: 0, Self.attempt(110)),
      .ended(Self.ended(.succeeded)),
      Self.end(0, at: 151)
    ).attempts
    expectEqual(seen.map(\.end), [.milliseconds(150)])
    expectEqual(seen.map(\.isOpenAtEnd), [false])
  }

  @Test func `the end of a handshake stays, from which its conversation counts`() throws {
    let seen = try Self.call(
      .attempt(call: 0, Self.attempt(110, status: 101)),
      Self.end(0, at: 151),
      .ended(Self.ended(.failed("cancelled")))
    ).attempts
    expectEqual(seen.map(\.end), [.milliseconds(151)])
  }

  @Test func `an attempt that nobody saw end has no end, unless its process ended with the call`()
    throws
  {
    var call = try Self.call(
      .attempt(call: 0, Self.attempt(110)),
      .ended(Self.ended(.failed("timedOut")))
    )
    expectEqual(call.attempts.map(\.end), [nil])
    call.ending = .hung
    call.endAttempts(isFall: true)
    expectEqual(call.attempts.map(\.end), [.milliseconds(150)])
    expectEqual(call.attempts.map(\.isOpenAtEnd), [true])
    // Read back, it is the same.
    try expectEqual(Observation.Attempt(call.attempts[0].json), call.attempts[0])
  }

  @Test(arguments: [true, false])
  func `an attempt fails no more if the cut that should fail it was not done`(
    isWhole: Bool
  ) throws {
    var cut = Self.attempt(110, status: 200)
    cut.error = "truncated"
    let undone = [
      Observation.Attempt.UnappliedFault(fault: "truncate", reason: "the body has 5 bytes")
    ]
    let attempt = try #require(
      try Self.call(
        .attempt(call: 0, cut),
        .undone(call: 0, place: 0, undone, isWhole: isWhole),
        .ended(Self.ended(.succeeded))
      ).attempts.first
    )
    expectEqual(attempt.unappliedFaults, undone)
    expectEqual(attempt.error, isWhole ? nil : "truncated")
  }

  @Test func `the bytes that a client left behind are kept`() throws {
    var end = WorkerMessage.AttemptEnd(place: 0, at: .milliseconds(140))
    end.bytesSent = 120
    let call = try Self.call(
      .attempt(call: 0, Self.attempt(110, status: 200)),
      .attemptEnded(call: 0, end),
      .ended(Self.ended(.hung))
    )
    expectEqual(call.attempts.map(\.bytesSent), [120])
  }

  @Test func `what was seen of a program that hangs is known of its call alone`() {
    var log = WorkerLog()
    let hang = ProgramHang(waited: .seconds(20), asleep: "read of descriptor 3")
    for message in [.began(0, at: .zero), .began(1, at: .zero), .hung(call: 1, hang)]
      as [WorkerMessage]
    {
      _ = log.apply(message)
    }
    expectEqual(log.hang(of: 1), hang)
    expectNil(log.hang(of: 0))
  }
}
