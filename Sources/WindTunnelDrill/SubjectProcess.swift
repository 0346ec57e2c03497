internal import Dispatch
internal import Foundation
internal import Symptoms
internal import WindTunnel

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// The inside of a subject's process: takes orders, makes the calls, tells of each.
///
/// Deck and stage are in here with the client, so the process is all that a crash can take along.
struct SubjectProcess {
  let orders: Orders
  let subject: any Subject
  let scenario: Scenario
  let itinerary: Itinerary
  let site: any Site
  let seesAttempts: Bool
  let parent: ParentLine
  private let queue = CallQueue()

  /// Runs to the end of the orders and never returns. Standard input and output are the parent's.
  static func main(subjects: [any Subject]) async -> Never {
    let parent = ParentLine()
    do {
      let orders = try JSONDecoder().decode(Orders.self, from: parent.orders())
      parent.endWithParent()
      guard let subject = subjects.first(where: { $0.name == orders.subject }) else {
        throw FormatError(source: "orders", place: "subject", problem: "no \(orders.subject) here")
      }
      try await Self(orders, subject, parent).run()
    } catch {
      parent.send(.refused("\(error)"))
      _exit(70)
    }
    // Not `exit`: OpenSSL's clean-up there races with threads that still free its handles.
    _exit(0)
  }

  private init(_ orders: Orders, _ subject: any Subject, _ parent: ParentLine) async throws {
    self.orders = orders
    self.parent = parent
    self.subject = subject
    scenario = try Scenario(data: orders.scenario, source: "scenario")
    let cassette =
      try orders.cassetteFile.map { try Cassette(contentsOf: URL(filePath: $0)) }
      ?? Cassette(data: orders.cassette, source: "cassette")
    itinerary = Itinerary(cassette, matcher: .pathAndQuery)
    let deck = Deck(
      cassette,
      scenario: scenario,
      seed: orders.seed,
      matcher: .pathAndQuery,
      then: .repeat
    ) { entry in Self.tell(of: entry, parent) }
    let errors = Symptom.Platform(rawValue: orders.errors) ?? .current
    let stage = Stage(rawValue: orders.stage) ?? .inProcess
    seesAttempts = Sites.seesAttempts(in: scenario, on: stage)
    site = try await Sites.site(stage, deck, scenario, errors)
  }

  /// Tells of an attempt before anything of it can happen. A connection that goes on is none; its
  /// request will be.
  private static func tell(of entry: Journal.Entry, _ parent: ParentLine) {
    if entry.take == .connection, entry.decision.faults.isEmpty { return }
    guard let number = entry.decision.lane.name.split(separator: "/").last.flatMap({ Int($0) })
    else { return }
    let attempt = Observation.Attempt(decision: entry.decision.line, take: entry.take.words)
    AttemptCounts.shared.count(number)
    parent.send(.attempt(call: number, attempt))
  }

  private func run() async {
    await queue.fill(orders.calls)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<max(1, min(orders.concurrency, orders.calls.count)) {
        group.addTask {
          while let number = await queue.next() { await fly(number) }
        }
      }
    }
  }

  private func fly(_ number: Int) async {
    parent.send(.began(number))
    let request = itinerary.request(of: number)
    let way: Way
    do {
      way = try await site.enter(Itinerary.lane(scenario.name, number))
    } catch {
      return parent.send(.refused("\(error)"))
    }
    let call = DrillCall(
      number: number,
      request: request,
      baseURL: way.baseURL,
      session: way.session,
      attemptTimeout: .milliseconds(orders.attemptTimeoutMilliseconds),
      deadline: .milliseconds(orders.deadlineMilliseconds)
    )
    let start = DispatchTime.now()
    let landing = await Landed.first(within: orders.patience) { [subject] in
      await subject.fly(call)
    }
    let nanoseconds = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
    site.leave(way, isHung: landing == nil)
    parent.send(
      .ended(
        Observation(
          call: number,
          endpoint: itinerary.endpoint(of: number),
          isCritical: scenario.isCritical(request),
          ending: landing.map { $0.isSuccess ? .succeeded : .failed($0.reason) } ?? .hung,
          showed: landing?.showed ?? false,
          latency: .microseconds(Int64(nanoseconds / 1000)),
          attemptCount: seesAttempts ? AttemptCounts.shared.take(number) : nil
        )
      )
    )
  }
}

/// The calls that nobody has begun.
private actor CallQueue {
  private var calls: [Int] = []

  func fill(_ numbers: [Int]) { calls = numbers.reversed() }
  func next() -> Int? { calls.popLast() }
}

/// How many attempts each call has made so far.
private struct AttemptCounts {
  static let shared = AttemptCounts()
  private let counts = Locked<[Int: Int]>([:])

  func count(_ call: Int) { counts.withLock { $0[call, default: 0] += 1 } }
  func take(_ call: Int) -> Int { counts.withLock { $0.removeValue(forKey: call) ?? 0 } }
}

/// The first of a call's end and the end of patience. A call that is late is abandoned and not
/// cancelled: a cancel at the wrong moment can stop every session of the process on Linux.
private final class Landed: Sendable {
  private let continuation: Locked<CheckedContinuation<Landing?, Never>?>

  private init(_ continuation: CheckedContinuation<Landing?, Never>) {
    self.continuation = Locked(continuation)
  }

  private func resolve(_ landing: Landing?) {
    let waiting = continuation.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    waiting?.resume(returning: landing)
  }

  static func first(
    within patience: Duration,
    _ fly: @escaping @Sendable () async -> Landing
  ) async -> Landing? {
    await withCheckedContinuation { continuation in
      let landed = Landed(continuation)
      Task { landed.resolve(await fly()) }
      let deadline = DispatchTime.now() + .nanoseconds(Int(patience.inNanoseconds))
      DispatchQueue.global().asyncAfter(deadline: deadline) { [weak landed] in
        landed?.resolve(nil)
      }
    }
  }
}
