internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// Any program, started once for each call with the call's request, and judged by the way in which
/// it ends.
///
/// With exit code 0, the call succeeded and the output is its content. With another code, the call
/// failed. A signal means a crash. A program that does not end in time hangs, and is killed with
/// all processes that it has started. Processes that a program leaves running end with the drill.
struct ExecSubject: Subject {
  let name = DrillPlan.execSubject
  private let command: [String]
  private let secrets: CommandWords

  init(_ command: [String] = []) {
    self.command = command
    // Without a command there is no program that could print a secret of the environment.
    secrets = command.isEmpty ? CommandWords([], environment: [:]) : CommandWords(command)
  }

  let needsSockets = true
  let runsOnlyIfNamed = true
  private var isToldURL: Bool { command.contains { CallPlaceholders.has($0, "url") } }
  var namesKept: Bool { command.contains { CallPlaceholders.has($0, "kept") } }

  /// The maximum time for which a program without a sign occupies its start place. A program whose
  /// server is unreachable never shows a sign.
  private static let startMax = Duration.seconds(5)

  func run(_ call: DrillCall) async -> CallResult {
    // A safeguard: a program must never be directed to another host.
    guard call.leadsNowhereElse else {
      return .bad("\(call.baseURL.host ?? "its address") is not on this machine")
    }
    let start = call.programStart
    start.isDue()
    let giveBack = await StartingPlaces.shared.place()
    defer { giveBack() }
    // The caller has cancelled the call, and does not wait for a result.
    if Task.isCancelled { return .bad("cancelled") }
    start.whenSeen(giveBack)
    DispatchQueue.after(Self.startMax, giveBack)
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

  /// Returns the placeholders and their values, which are also set as `WINDTUNNEL_…` in the
  /// program's environment.
  private static func values(of call: DrillCall) -> [(key: String, value: String)] {
    let own = [
      ("url", call.url.absoluteString), ("base", call.baseURL.absoluteString),
      ("origins", call.origins.map(\.absoluteString).joined(separator: " ")),
      ("kept", call.kept?.path ?? ""),
      ("method", call.request.method), ("call", String(call.index)),
    ]
    // Replaced last, because a recorded body may contain any word.
    return own + (call.authorityFile.map { [("ca", $0.path)] } ?? [])
      + (call.request.bodyForPrograms.map { [("body", $0)] } ?? [])
  }

  private static func environment(of call: DrillCall) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    // Removed, so that a call without a body does not inherit another drill's.
    environment["WINDTUNNEL_BODY"] = nil
    for (name, value) in values(of: call) {
      environment["WINDTUNNEL_\(name.uppercased())"] = value
    }
    environment.trust(call.authorityFile)
    environment["WINDTUNNEL_HEADERS"] = call.request.fieldsForPrograms
    return environment
  }

  /// Runs the program of a call to its end, or kills it if that takes too long.
  private func result(of call: DrillCall) async -> CallResult {
    let words = words(for: call)
    guard let executable = Executable.find(words[0]) else {
      return .bad("\(words[0]) was not found")
    }
    let process = SpawnedProcess(executable, Array(words.dropFirst()))
    (process.environment, process.network) = (Self.environment(of: call), call.network)
    let ending = Locked(EndRequest())
    return await withTaskCancellationHandler {
      await result(of: process, words[0], for: call, ending)
    } onCancel: {
      // The caller cancels the call, as a shell would. A program that does not run yet is signalled
      // after its start.
      if ending.withLock({ $0.cancels() }) { process.askToEnd() }
    }
  }

  private func result(
    of process: SpawnedProcess,
    _ program: String,
    for call: DrillCall,
    _ ending: Locked<EndRequest>
  ) async -> CallResult {
    let start = call.programStart
    let memory = call.watchesMemory ? MemoryWatch(process, livesOn: false) : nil
    let isLate = Locked(false)
    let sleep = Locked<String?>(nil)
    // Waits before the first sign belong to the program's start. They count only if there is no
    // sign.
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
          result.isOfAnyRequest = !isToldURL
          result.sleepWithoutLimit = sleep.withLock { $0 }
          processor.stop()
          result.processorDelay = processor.longest(since: loaded.withLock { $0 })
          continuation.resume(returning: result)
        }
      } catch {
        return continuation.resume(returning: .bad("\(program) cannot be started"))
      }
      if let memory {
        // At this point, the program has loaded its code, but has received nothing of a response.
        start.whenSeen { memory.noteBefore() }
        memory.start {}
      }
      processor.start()
      start.whenSeen { loaded.withLock { $0 = processor.mark } }
      if ending.withLock({ $0.begins() }) { process.askToEnd() }
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

  /// The maximum size of the stored output in bytes. The rest is read and discarded.
  private static let outputBytesMax = 16 << 20

  /// Returns the output. The call receives each message of its conversation when the program
  /// reports it.
  private static func body(of printed: PrintedOutput, in call: DrillCall) -> Data {
    var (body, lines) = (Data(), LineSplitter())
    printed.read { data in
      body += data.prefix(outputBytesMax - body.count)
      guard call.conversation != nil else { return }
      lines.take(data) { line in if let line = ReceivedLine(line) { call.received(line.content) } }
    }
    return body
  }

  /// Runs an action if a program still runs when its patience ends. The patience begins with the
  /// first sign at the server.
  private static func watch(
    _ process: SpawnedProcess,
    _ start: ProgramStart,
    within patience: Duration,
    since spawned: DispatchTime = .now(),
    after time: Duration? = nil,
    _ grant: ProcessorGrant = ProcessorGrant(),
    _ isLate: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.after(time ?? patience) { [weak process] in
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
  /// Whether an ended program crashed, or reports the crash of another program as a shell does.
  var hasCrashed: Bool {
    terminationReason == .uncaughtSignal || Self.crashCodes.contains(terminationStatus)
  }

  /// The exit codes by which a shell reports that a program crashed. They are 128 plus the signal
  /// ILL, TRAP, ABRT, BUS, FPE or SEGV (POSIX, Shell Command Language §2.8.2).
  private static let crashCodes: Set<Int32> = Set(
    [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV].map { 128 + $0 }
  )
}
