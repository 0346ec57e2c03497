internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer

/// Any program: started once for each call, told what to ask for, and judged by how it ends.
///
/// It ends with 0 where the call succeeded, and prints what there is to show; with another code the
/// call failed; by a signal it crashed; a program that does not end in time hangs and is killed
/// with all that it has started. What it has started and leaves behind ends with the drill.
struct ExecSubject: Subject {
  let name = DrillPlan.execSubject
  private let command: [String]
  private let secrets: CommandWords

  init(_ command: [String] = []) { (self.command, secrets) = (command, CommandWords(command)) }

  let needsSockets = true
  let runsOnlyIfNamed = true
  var namesKept: Bool { command.contains(where: CallPlaceholders.namesKept) }

  /// A program of which nothing is seen starts for no longer than that, as far as others wait for
  /// its place; one whose server is not there is never seen.
  private static let startMax = Duration.seconds(5)

  func run(_ call: DrillCall) async -> CallResult {
    // Whatever went wrong before: a program is never sent to anybody but us.
    guard call.leadsNowhereElse else {
      return .bad("\(call.baseURL.host ?? "its address") is not of this machine")
    }
    let start = call.programStart
    start.isDue()
    let giveBack = await StartingPlaces.shared.place()
    defer { giveBack() }
    // Its caller has given it up, and nobody waits for what it would do.
    if Task.isCancelled { return .bad("cancelled") }
    start.whenSeen(giveBack)
    DispatchQueue.global().asyncAfter(after: Self.startMax, giveBack)
    return await result(of: call)
  }

  private func words(for call: DrillCall) -> [String] {
    let values = Self.values(of: call)
    return command.map { word in
      values.reduce(word) { word, value in
        word.replacingOccurrences(of: "{\(value.key)}", with: value.value)
      }
    }
  }

  /// Returns the names and values that are filled in, also as `WINDTUNNEL_…` in the program's
  /// environment.
  private static func values(of call: DrillCall) -> [(key: String, value: String)] {
    let own = [
      ("url", call.url.absoluteString), ("base", call.baseURL.absoluteString),
      ("origins", call.origins.map(\.absoluteString).joined(separator: " ")),
      ("kept", call.kept?.path ?? ""),
      ("method", call.request.method), ("call", String(call.index)),
    ]
    // The last, since what was recorded may have any word in it.
    return own + (call.authorityFile.map { [("ca", $0.path)] } ?? [])
      + (call.request.bodyForPrograms.map { [("body", $0)] } ?? [])
  }

  private static func environment(of call: DrillCall) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    // Not another drill's, where this call has none.
    environment["WINDTUNNEL_BODY"] = nil
    for (name, value) in values(of: call) {
      environment["WINDTUNNEL_\(name.uppercased())"] = value
    }
    environment.trust(call.authorityFile)
    environment["WINDTUNNEL_HEADERS"] = call.request.fieldsForPrograms
    return environment
  }

  /// Runs the program of a call to its end, or kills it when that takes too long.
  private func result(of call: DrillCall) async -> CallResult {
    let words = words(for: call)
    guard let executable = Executable.find(words[0]) else {
      return .bad("\(words[0]) is not there")
    }
    let process = SpawnedProcess(executable, Array(words.dropFirst()))
    (process.environment, process.network) = (Self.environment(of: call), call.network)
    let isGivenUp = Locked(false)
    return await withTaskCancellationHandler {
      await result(of: process, words[0], for: call, isGivenUp)
    } onCancel: {
      // Its caller gives it up, as a shell would; one that does not run yet is told when it does.
      isGivenUp.withLock { $0 = true }
      process.askToEnd()
    }
  }

  private func result(
    of process: SpawnedProcess,
    _ program: String,
    for call: DrillCall,
    _ isGivenUp: Locked<Bool>
  ) async -> CallResult {
    let start = call.programStart
    let memory = call.watchesMemory ? MemoryWatch(process, livesOn: false) : nil
    let isLate = Locked(false)
    let sleep = Locked<String?>(nil)
    // The waits before its first sign are those of its start, and count only without a sign.
    let (processor, loaded) = (ProcessorWatch(process), Locked<ProcessorWatch.Mark>([:]))
    return await withCheckedContinuation { continuation in
      do {
        try ListenedProgram.start(process, of: secrets) { printed in
          Self.body(of: printed, in: call)
        } ended: { body, lastWords in
          let isHung = isLate.withLock { $0 }
          let seen = memory?.stop(isHung: isHung)
          var result =
            seen?.wasEnded == true
            ? .bad(MemoryWatch.endedWords)
            : Self.result(process, isHung: isHung, lastWords, body)
          result.memory = seen
          result.sleepWithoutLimit = sleep.withLock { $0 }
          processor.stop()
          result.processorDelay = processor.longest(since: loaded.withLock { $0 })
          continuation.resume(returning: result)
        }
      } catch {
        return continuation.resume(returning: .bad("\(program) cannot be started"))
      }
      if let memory {
        // It has loaded its code by then, and nothing of an answer.
        start.whenSeen { memory.noteBefore() }
        memory.start {}
      }
      processor.start()
      start.whenSeen { loaded.withLock { $0 = processor.mark } }
      if isGivenUp.withLock({ $0 }) { process.askToEnd() }
      let end: @Sendable () -> Void = {
        isLate.withLock { $0 = true }
        processor.look()
        process.killAll()
      }
      start.whenEndless(end)
      Self.watch(process, start, within: DrillCall.patience(call.deadline)) {
        sleep.withLock { $0 = VirtualWorld.sleepWithoutLimit(of: process.processIdentifier) }
        end()
      }
    }
  }

  /// Of what it prints no more is kept; the rest is read and dropped.
  private static let outputBytesMax = 16 << 20

  /// Returns the output. The call hears of each message of its conversation that the program says
  /// it has received, as it says so.
  private static func body(of printed: PrintedOutput, in call: DrillCall) -> Data {
    var (body, lines) = (Data(), LineSplitter())
    printed.read { data in
      body += data.prefix(outputBytesMax - body.count)
      guard call.conversation != nil else { return }
      lines.take(data) { line in if let line = ReceivedLine(line) { call.received(line.content) } }
    }
    return body
  }

  /// Does something when a program still runs at the end of patience, which begins when the server
  /// first sees it.
  private static func watch(
    _ process: SpawnedProcess,
    _ start: ProgramStart,
    within patience: Duration,
    since spawned: DispatchTime = .now(),
    after time: Duration? = nil,
    _ grant: ProcessorGrant = ProcessorGrant(),
    _ isLate: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.global().asyncAfter(after: time ?? patience) { [weak process] in
      guard let process, process.isRunning else { return }
      var grant = grant
      let seen = start.seen
      let left = ProgramStart.end(of: patience, asked: spawned, seen: seen) + grant.granted - .now()
      let next: Duration
      if left > .zero {
        next = ProgramStart.nextLook(within: left, isSeen: seen != nil)
      } else if let more = grant.more(for: process) {
        next = more
      } else {
        return isLate()
      }
      watch(process, start, within: patience, since: spawned, after: next, grant, isLate)
    }
  }

  private static func result(
    _ process: SpawnedProcess,
    isHung: Bool,
    _ lastWords: Set<String>,
    _ body: Data
  ) -> CallResult {
    if isHung { return CallResult(ending: .hung, body: nil) }
    let code = process.terminationStatus
    if process.terminationReason == .uncaughtSignal, code == SIGTERM { return .bad("cancelled") }
    if process.hasCrashed || LastWords.tellOfPanic(lastWords, code: code) {
      return CallResult(ending: .crashed, body: nil)
    }
    guard code == 0 else { return .bad("exit \(code)") }
    var result = CallResult.good(body)
    result.isPrinted = true
    return result
  }
}

extension SpawnedProcess {
  /// Tells whether one that has ended died from a fault of its own, or says that of another as a
  /// shell does.
  var hasCrashed: Bool {
    terminationReason == .uncaughtSignal || Self.crashCodes.contains(terminationStatus)
  }

  /// The codes by which a shell says that a program died from a fault of its own: 128 and the
  /// signal, which is ILL, TRAP, ABRT, BUS, FPE or SEGV (POSIX, Shell Command Language §2.8.2).
  private static let crashCodes: Set<Int32> = Set(
    [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV].map { 128 + $0 }
  )
}

extension DispatchQueue {
  /// Does something when so much time has gone by.
  fileprivate func asyncAfter(after time: Duration, _ action: @escaping @Sendable () -> Void) {
    asyncAfter(deadline: .now() + time, execute: action)
  }
}
