internal import Dispatch
internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer

/// A program that is started once and lives from call to call: it reads a call a line and writes an
/// answer a line, in any order. Its pools, caches and budgets live with it.
///
/// If it ends before its input does, or leaves a call without an answer, it has fallen, and its
/// subject's process ends with it: whoever watches that finds out which call is to blame, and starts
/// both again.
struct ServiceSubject: Subject {
  /// The way in which a program falls.
  enum Fall: Sendable, Hashable {
    /// The end before its input ended.
    case crashed
    /// It leaves a call without an answer.
    case hung
    /// It is none that lives from call to call: why, in a sentence.
    case unfit(String)
  }

  let name = DrillPlan.execSubject
  let needsSockets = true
  private let command: [String]
  private let isProven: Bool
  private let fall: @Sendable (Fall) -> Never
  private let running = Locked<RunningService?>(nil)

  /// Makes one of a command. One that is proven has answered before, in another process.
  init(_ command: [String], isProven: Bool, fall: @escaping @Sendable (Fall) -> Never) {
    (self.command, self.isProven, self.fall) = (command, isProven, fall)
  }

  func fly(_ call: DrillCall) async -> CallResult {
    // Whatever went wrong before: a program is never sent to anybody but us.
    guard call.leadsNowhereElse else {
      return .bad("\(call.baseURL.host ?? "its address") is not of this machine")
    }
    // A little before the harness itself would give the call up, which could not end anybody.
    let patience = DrillCall.patience(call.deadline) - .milliseconds(500)
    let service = service(for: call)
    // What it takes to load is no call's time.
    if !service.hasAnswered { call.programStart.isDue() }
    let answer = await service.answer(to: call, within: max(patience, call.deadline))
    return answer.result(of: call)
  }

  func close() async { await running.withLock { $0 }?.close() }

  /// The program, started for the first call: all others of the scenario come the same way.
  private func service(for call: DrillCall) -> RunningService {
    running.withLock { running in
      if let running { return running }
      let service = RunningService(words(for: call), isProven: isProven, fall)
      service.start(environment: Self.environment(of: call), in: call.network)
      running = service
      return service
    }
  }

  private func words(for call: DrillCall) -> [String] {
    guard let file = call.authorityFile else { return command }
    return command.map { $0.replacingOccurrences(of: "{ca}", with: file.path) }
  }

  private static func environment(of call: DrillCall) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    // Not another drill's: what is a call's own comes by its line.
    for name in CallPlaceholders.names + ["headers"] {
      environment["WINDTUNNEL_\(name.uppercased())"] = nil
    }
    environment["WINDTUNNEL_CA"] = call.authorityFile?.path
    environment.trust(call.authorityFile)
    return environment
  }
}

/// The one run of such a program.
// What of `SpawnedProcess` is used here may be used on any thread.
private final class RunningService: Sendable {
  /// The time to end in once its input has ended.
  private static let graceAfterInput = Duration.seconds(2)
  /// The time to end in once it has been told to.
  private static let graceAfterSignal = Duration.seconds(1)
  /// So many lines that say nothing are told of.
  private static let complaintsMax = 5
  /// Of such a line no more is shown.
  private static let shownMax = 80

  private struct State {
    var waiting: [Int: CheckedContinuation<ServiceAnswer, Never>] = [:]
    var hasAnswered = false
    var isClosing = false
    var complaints = 0
  }

  private let words: [String]
  private let isProven: Bool
  private let fall: @Sendable (ServiceSubject.Fall) -> Never
  private let process = SpawnedProcess()
  private let input = Pipe()
  /// The queue on which lines wait for the program to read them, so that no call's thread does.
  private let writer = DispatchQueue(label: "service")
  private let state = Locked(State())
  private let gone = DispatchSemaphore(value: 0)

  init(
    _ words: [String],
    isProven: Bool,
    _ fall: @escaping @Sendable (ServiceSubject.Fall) -> Never
  ) {
    (self.words, self.isProven, self.fall) = (words, isProven, fall)
  }

  /// Tells whether it has answered a call, so that it is there.
  var hasAnswered: Bool { state.withLock { $0.hasAnswered } }

  func start(environment: [String: String], in network: PrivateNetwork?) {
    guard let executable = Executable.find(words[0]) else {
      fall(.unfit("\(words[0]) is not there."))
    }
    let (output, ending) = (Pipe(), Pipe())
    process.executableURL = executable
    process.arguments = Array(words.dropFirst())
    process.environment = environment
    process.network = network
    process.standardInput = input
    process.standardOutput = output
    // Closed when it has ended, which its reader sees.
    process.terminationHandler = { [handle = ending.fileHandleForWriting] _ in
      // It is open, and nobody else closes it.
      try? handle.close()
    }
    do {
      try RunningPrograms.shared.start(process)
    } catch {
      fall(.unfit("\(words[0]) cannot be started."))
    }
    Thread { [self] in
      let printed = PrintedOutput(output.fileHandleForReading, until: ending.fileHandleForReading)
      var lines = LineSplitter()
      printed.read { data in
        let dropped = lines.dropped
        lines.take(data) { take($0) }
        if lines.dropped > dropped {
          complain("wrote a line of more than \(LineSplitter.lineBytesMax) bytes")
        }
      }
      process.waitUntilExit()
      RunningPrograms.shared.ended(process)
      ended()
      printed.drop()
      process.waitUntilGone()
      RunningPrograms.shared.gone(process)
      gone.signal()
    }.start()
  }

  /// Asks for a call and waits for its answer; one that does not come in time is a fall.
  func answer(to call: DrillCall, within patience: Duration) async -> ServiceAnswer {
    let number = call.index
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { $0.waiting[number] = continuation }
        Self.after(patience) { [weak self] in
          guard let self, state.withLock({ $0.waiting[number] != nil }) else { return }
          fall(.hung)
        }
        write(ServiceLine.asking(for: call))
        // Its caller may have given it up before it was asked for.
        if Task.isCancelled { write(ServiceLine.cancelling(number)) }
      }
    } onCancel: {
      if state.withLock({ $0.waiting[number] != nil }) { write(ServiceLine.cancelling(number)) }
    }
  }

  /// Ends its input, waits for it to end by itself, and sees to it that nothing is left.
  func close() async {
    state.withLock { $0.isClosing = true }
    writer.async { [input] in
      // It is open, and nobody else closes it.
      try? input.fileHandleForWriting.close()
    }
    let term = Self.after(Self.graceAfterInput) { [process] in process.askToEnd() }
    let kill = Self.after(Self.graceAfterInput + Self.graceAfterSignal) { [process] in
      process.killAll()
    }
    await withCheckedContinuation { continuation in
      Thread { [self] in
        process.waitUntilExit()
        // What it has started ends with it.
        process.killAll()
        gone.wait()
        continuation.resume()
      }.start()
    }
    term.cancel()
    kill.cancel()
  }

  private func write(_ line: Data) {
    writer.async { [input] in
      // One that has ended reads nothing, which its reader sees.
      try? input.fileHandleForWriting.write(contentsOf: line)
    }
  }

  private func take(_ line: String) {
    guard let answer = ServiceAnswer(line: line) else {
      return complain(
        "wrote a line that is no answer, {\"call\": N, \"ok\": true or false}: "
          + String(line.prefix(Self.shownMax))
      )
    }
    let waiting = state.withLock { state in
      state.hasAnswered = true
      return state.waiting.removeValue(forKey: answer.call)
    }
    guard let waiting else {
      return complain(
        "answered call \(answer.call), which was answered before or never asked for"
      )
    }
    waiting.resume(returning: answer)
  }

  /// It has ended: in order where its input had, and else it fell.
  private func ended() {
    let (isClosing, hasAnswered) = state.withLock { ($0.isClosing, $0.hasAnswered) }
    if isClosing { return }
    let isOrderly = process.terminationReason == .exit && process.terminationStatus == 0
    guard isOrderly, !hasAnswered, !isProven else { fall(.crashed) }
    fall(
      .unfit(
        "\(words[0]) ended without an answer: a program that is started for each call has {url} in its command."
      )
    )
  }

  /// Says in a sentence on standard error what it wrote and nobody could use.
  private func complain(_ words: String) {
    let count = state.withLock { state in
      state.complaints += 1
      return state.complaints
    }
    guard count <= Self.complaintsMax else { return }
    let rest = count == Self.complaintsMax ? " Further ones are dropped unsaid." : ""
    FileHandle.standardError.write(
      Data("windtunnel: \(self.words[0]) \(words); the line is dropped.\(rest)\n".utf8)
    )
  }

  @discardableResult
  private static func after(
    _ time: Duration,
    _ action: @escaping @Sendable () -> Void
  ) -> DispatchWorkItem {
    let item = DispatchWorkItem(block: action)
    DispatchQueue.global()
      .asyncAfter(deadline: .now() + .nanoseconds(Int(time.inNanoseconds)), execute: item)
    return item
  }
}
