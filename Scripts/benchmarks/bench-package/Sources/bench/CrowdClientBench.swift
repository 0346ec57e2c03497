internal import Foundation
internal import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// What crowds leave behind in a process: waves of a thousand calls against two origins in a brown-out,
/// of which half are cancelled.
struct CrowdClientBench {
  /// What carries the calls.
  enum Way: String, CaseIterable {
    /// The layer on a `URLSession`.
    case layer
    /// The layer on a transport that answers by itself: what is the layer's own.
    case alone
    /// Tasks of a `URLSession`, eight at once: what is the platform's.
    case bare
  }

  private static let calls = 1_000

  private let way: Way
  private let origins: [URL]
  private let waves: Int
  private let session: URLSession

  init(_ way: Way, _ origins: [URL], waves: Int = 10) {
    (self.way, self.origins, self.waves) = (way, origins, max(waves, 2))
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = 64
    session = URLSession(configuration: configuration)
  }

  /// Prints what each wave came to and what it left, and what is left behind the last one.
  func run() async throws {
    let name = "crowd-client  \(way.rawValue)"
    weak var engine: CrowdEngine?
    weak var admission: AdmissionController?
    var second: (resident: Double?, heap: Double?, counts: Crowd.Counts)?
    var last = second
    do {
      let crowd = Crowd(way, origins, session)
      (engine, admission) = (crowd.engine, crowd.admission)
      for wave in 1...waves {
        let before = crowd.counts
        await run(wave, crowd)
        let marks = (ProcessFacts.residentMegabytes, ProcessFacts.heapMegabytes, crowd.counts)
        if wave == 2 { second = marks }
        last = marks
        print(
          "\(name), wave \(wave): resident \(shown(marks.0)) MB, in use \(shown(marks.1)) MB; "
            + "\(marks.2.since(before)); \(crowd.admission.load.running) running, "
            + "\(crowd.admission.load.waiting) waiting"
        )
      }
    }
    session.invalidateAndCancel()
    // What a session ends, it ends on threads of its own.
    for _ in 0..<200 where engine != nil || admission != nil {
      try await Task.sleep(for: .milliseconds(50))
    }
    guard let second, let last else { return }
    let attempts = last.counts.attempts - second.counts.attempts
    let grown = difference(last.heap, second.heap)
    print(
      "\(name), from wave 2 to \(waves): resident \(shown(difference(last.resident, second.resident))) "
        + "MB more, in use \(shown(grown)) MB more, which is "
        + "\(shown(grown.map { $0 * 1e6 / Double(max(attempts, 1)) }, 0)) bytes an attempt; "
        + "descriptors \(ProcessFacts.descriptors.map(String.init) ?? "–"); "
        + "alive: engine \(engine == nil ? 0 : 1), admission \(admission == nil ? 0 : 1)"
    )
  }

  /// Half of the calls are given up: before they begin, in the queue, in flight, and between attempts.
  private func run(_ wave: Int, _ crowd: Crowd) async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<Self.calls {
        group.addTask {
          let call = Task { await crowd.call(number, "/wave/\(wave)/call/\(number)") }
          if number % 4 < 2 {
            // Who is cancelled meanwhile is the call, never the one who waits.
            try? await Task.sleep(for: .milliseconds(number % 50 * 10))
            call.cancel()
          }
          await call.value
        }
      }
    }
  }

  private func difference(_ later: Double?, _ earlier: Double?) -> Double? {
    guard let later, let earlier else { return nil }
    return later - earlier
  }

  private func shown(_ number: Double?, _ digits: Int = 1) -> String {
    number.map { String(format: "%.\(digits)f", $0) } ?? "–"
  }
}
