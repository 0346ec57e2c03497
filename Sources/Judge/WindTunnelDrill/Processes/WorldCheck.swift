internal import Dispatch
internal import Foundation
internal import WindTunnelServer

/// A check of virtual time on this machine before any verdict: a process waits in three ways, and
/// prints the length of each wait.
enum WorldCheck {
  /// The hidden word by which the tool runs this check.
  static let word = "wait-in-three-ways"

  private static let waits = [30.0, 10, 10]
  /// The maximum real time of the check. A check that waits for a processor gets it again.
  private static let patience = Duration.seconds(30)
  /// The maximum number of such times.
  private static let turns = 10

  /// Returns the reason why this machine has no virtual time, as a clause, or `nil` if it has.
  static func obstacle(by executable: URL) async -> String? {
    let process = SpawnedProcess(executable, VirtualWorld.words() + [executable.path, word])
    let late = Task { await end(process) }
    let text = await process.text()
    late.cancel()
    guard let text else { return "\(executable.path) cannot be started" }
    let lines = text.split(separator: "\n").map(String.init)
    guard let notes = lines.last.flatMap({ VirtualWorld.Notes(line: $0) }) else {
      return "a check of its clock did not end"
    }
    if let obstacle = notes.obstacle { return obstacle }
    let told = lines.dropLast().compactMap(Double.init)
    let isRight = told.count == waits.count && zip(told, waits).allSatisfy { abs($0 - $1) < 0.002 }
    return isRight ? nil : "waits of 30, 10 and 10 s took \(told) s in a check of its clock"
  }

  /// Ends a check that is late, unless a busy machine delays it.
  private static func end(_ process: SpawnedProcess) async {
    var before = Duration.zero
    for _ in 0..<turns {
      // A check that has ended is cancelled.
      guard (try? await Task.sleep(for: patience)) != nil else { return }
      let delay = ProcessDelay.threads(of: process.processIdentifier).values.reduce(.zero, +)
      guard delay - before > patience / 4 else { break }
      before = delay
    }
    process.killAll()
  }

  /// Waits in three ways, prints the seconds of each, and ends this process.
  static func main() async -> Never {
    waitOnThread()
    let begun = DispatchTime.now()
    await callPort(silentFor: waits[2])
    tell(since: begun)
    fflush(nil)
    _exit(0)
  }

  /// Sleeps, and waits on a condition variable.
  private static func waitOnThread() {
    var begun = DispatchTime.now()
    Thread.sleep(forTimeInterval: waits[0])
    tell(since: begun)
    begun = .now()
    let condition = NSCondition()
    condition.withLock { _ = condition.wait(until: Date() + waits[1]) }
    tell(since: begun)
  }

  private static func tell(since begun: DispatchTime) {
    print(Double(DispatchTime.now().uptimeNanoseconds - begun.uptimeNanoseconds) / 1e9)
  }

  /// Calls a port of this process that responds late.
  private static func callPort(silentFor seconds: Double) async {
    let rule = FaultRule(when: .always, [.delay(.milliseconds(Int(seconds * 1000)))])
    let request = Request("GET", RequestURL("http://127.0.0.1/"))
    let deck = Deck(
      Cassette([Interaction(request, Response(status: 200))]),
      scenario: Scenario("late", rules: [rule])
    )
    // If this fails, a line is missing, and the caller reports that.
    guard let server = try? await ReplayServer(deck), let client = try? HTTPClient() else { return }
    var asked = request
    asked.url = RequestURL("http://127.0.0.1:\(server.port)/")
    let (ends, end) = AsyncStream<Void>.makeStream()
    let question = HTTPClient.Question(asked, silenceSeconds: 3 * seconds)
    let exchange = client.send(question) { event in
      switch event {
      case .end, .failed, .unreadable: end.finish()
      case .sent, .head, .content: break
      }
    }
    for await _ in ends {}
    exchange.cancel()
    await server.stop(grace: .zero)
  }
}
