internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer

/// The single run of a long-running program.
// The members of `SpawnedProcess` that this class uses are safe on any thread.
final class RunningService: Sendable {
  /// The time that a program has to end after its input was closed.
  private static let graceAfterInput = Duration.seconds(2)
  /// The time that a program has to end after SIGTERM. The same time passes after SIGKILL, until
  /// its output must be closed.
  private static let graceAfterSignal = Duration.seconds(1)
  /// The maximum number of invalid lines that are reported.
  private static let complaintsMax = 5
  /// The maximum length of an invalid line in a message.
  private static let shownMax = 80

  /// A call that was requested and has no result yet.
  private struct Waiting: Sendable {
    var call: DrillCall
    var continuation: CheckedContinuation<CallResult, Never>
    var asked: DispatchTime
    var memory: MemoryWatch?
    var mark: ProcessorWatch.Mark
  }

  private struct State {
    var waiting: [Int: Waiting] = [:]
    /// The time of the first sign of the program: a call's request, or a result line.
    var there: DispatchTime?
    var hasAnswered = false
    var isClosing = false
    var hasFallen = false
    var complaints = 0

    /// Records a sign of the program by a call. From now on, waits of the other calls do not count
    /// as its start.
    mutating func isThere(by call: Int, _ processor: ProcessorWatch) {
      guard there == nil else { return }
      // A busy machine may run this code later than the sign arrived.
      let now = waiting[call]?.call.programStart.seen ?? .now()
      there = now
      for number in waiting.keys { waiting[number]?.mark = processor.mark }
      for (number, other) in waiting where number != call {
        other.call.programStart.isThere(since: now)
      }
    }
  }

  private let words: [String]
  private let secrets: CommandWords
  private let hangs: @Sendable (Int, ProgramHang) -> Void
  private let fall: @Sendable (ServiceSubject.ProgramFailure) -> Void
  private let process: SpawnedProcess
  private let processor: ProcessorWatch
  private let input = Pipe()
  /// The queue that waits until the program reads its lines, so that no call's thread has to.
  private let writer = DispatchQueue(label: "service")
  private let state = Locked(State())
  private let gone = DispatchSemaphore(value: 0)

  init(
    _ words: [String],
    hangs: @escaping @Sendable (Int, ProgramHang) -> Void,
    _ fall: @escaping @Sendable (ServiceSubject.ProgramFailure) -> Void
  ) {
    (self.words, self.hangs, self.fall) = (words, hangs, fall)
    secrets = CommandWords(words)
    process = SpawnedProcess()
    processor = ProcessorWatch(process)
  }

  func start(environment: [String: String], in network: PrivateNetwork?) {
    guard let executable = Executable.find(words[0]) else {
      return falls(.unfit("\(words[0]) was not found."))
    }
    process.executableURL = executable
    process.arguments = Array(words.dropFirst())
    process.environment = environment
    process.network = network
    process.standardInput = input
    do {
      try ListenedProgram.start(process, of: secrets) { [self] in
        listen(to: $0)
      } ended: { [self] _, _ in
        ended()
      } gone: { [self] in
        gone.signal()
      }
    } catch {
      return falls(.unfit("\(words[0]) cannot be started."))
    }
    processor.start()
  }

  private func listen(to printed: PrintedOutput) {
    var lines = LineSplitter()
    printed.read { data in
      let dropped = lines.dropped
      lines.take(data) { take($0) }
      if lines.dropped > dropped {
        complain(
          "wrote a line of more than \(LineSplitter.lineBytesMax) bytes; the line is dropped"
        )
      }
    }
  }

  /// Requests a call and waits for its result. If there is none in time, the program counts as
  /// hung.
  func result(of call: DrillCall, within patience: Duration) async -> CallResult {
    let (number, start) = (call.index, call.programStart)
    let memory = call.watchesMemory ? MemoryWatch(process, livesOn: true) : nil
    let ending = Locked(EndRequest())
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasFallen = state.withLock { state in
          if state.hasFallen { return true }
          // The time to load the program does not count as time of a call.
          if state.there == nil { start.isDue() }
          state.waiting[number] = Waiting(
            call: call,
            continuation: continuation,
            asked: .now(),
            memory: memory,
            mark: processor.mark
          )
          return false
        }
        if hasFallen {
          return continuation.resume(returning: CallResult(ending: .crashed, body: nil))
        }
        start.whenSeen { [weak self] in
          // Before the response to the request.
          memory?.noteBefore()
          guard let self else { return }
          state.withLock { $0.isThere(by: number, self.processor) }
        }
        // Only a waiting call can be ended by a failure.
        memory?.start { [weak self] in self?.outgrows() }
        watch(number, within: patience, after: patience)
        start.whenEndless { [weak self] in self?.falls(.hung) }
        write(ServiceLine.asking(for: call))
        // The caller may have cancelled the call before it was requested.
        if ending.withLock({ $0.begins() }) { write(ServiceLine.cancelling(number)) }
      }
    } onCancel: {
      if ending.withLock({ $0.cancels() }), state.withLock({ $0.waiting[number] != nil }) {
        write(ServiceLine.cancelling(number))
      }
    }
  }

  /// Checks after a time whether a call has a result. The patience begins with the first sign of
  /// the program.
  private func watch(_ number: Int, within patience: Duration, after time: Duration) {
    DispatchQueue.after(time) { [weak self] in
      guard let self else { return }
      let (next, hangs, outgrew): (Duration?, Bool, Bool) = state.withLock { state in
        guard let waiting = state.waiting[number] else { return (nil, false, false) }
        let end = ProgramStart.end(of: patience, asked: waiting.asked, seen: state.there)
        let left = end - .now()
        guard left <= .zero else {
          return (ProgramStart.nextLook(within: left, isSeen: state.there != nil), false, false)
        }
        // The program waits for an endless response or processes its data, so it is not silent.
        if waiting.memory?.hasGrown == true { return (nil, false, true) }
        // Under the same lock, so that a result from now on is too late.
        return (nil, !exchange(&state.hasFallen, with: true), false)
      }
      if let next { watch(number, within: patience, after: next) }
      if hangs { tell(.hung) }
      if outgrew { outgrows() }
    }
  }

  /// Closes the input, waits for the program to end by itself, and kills all processes that remain.
  func close() async {
    state.withLock { $0.isClosing = true }
    writer.async { [input] in
      // The handle is open, and only this function closes it.
      try? input.fileHandleForWriting.close()
    }
    let term = DispatchQueue.after(Self.graceAfterInput) { [process] in process.askToEnd() }
    let kill = DispatchQueue.after(Self.graceAfterInput + Self.graceAfterSignal) { [process] in
      process.killAll()
    }
    await Thread.result { [self] in
      process.waitUntilExit()
      // Ends the processes that the program has started.
      process.killAll()
      // A process that cannot be killed may keep the output open indefinitely.
      _ = gone.wait(timeout: .now() + Self.graceAfterSignal)
    }
    term.cancel()
    kill.cancel()
  }

  private func write(_ line: Data) {
    writer.async { [input] in
      // A program that has ended does not read. Its reader detects the end.
      try? input.fileHandleForWriting.write(contentsOf: line)
    }
  }

  private func take(_ line: String) {
    if let told = ReceivedLine(line), let call = told.call {
      // A conversation may outlive its call. Later messages do not belong to any call.
      state.withLock { $0.waiting[call]?.call }?.received(told.content)
      return
    }
    guard let answer = ServiceAnswer(line: line) else {
      return complain(
        "wrote an invalid response, instead of {\"call\": N, \"ok\": true or false}: "
          + "\(secrets.told(line, atMost: Self.shownMax)); the line is dropped"
      )
    }
    let (waiting, hasFallen) = state.withLock { state -> (Waiting?, Bool) in
      // The remaining calls will be repeated one by one, and the program is being ended.
      if state.hasFallen { return (nil, true) }
      state.hasAnswered = true
      state.isThere(by: answer.call, processor)
      return (state.waiting.removeValue(forKey: answer.call), false)
    }
    if hasFallen { return }
    guard let waiting else {
      return complain(
        "answered call \(answer.call), which is already answered or unknown; the line is dropped"
      )
    }
    if let complaint = answer.complaint { complain(complaint) }
    var result = answer.result(of: waiting.call)
    result.memory = waiting.memory?.stop()
    result.processorDelay = processor.longest(since: waiting.mark)
    waiting.continuation.resume(returning: result)
  }

  /// Ends the program because it uses too much memory, and its waiting calls by a failure. This is
  /// not a crash, and the next call starts the program again.
  private func outgrows() {
    let waiting = state.withLock { state -> [Int: Waiting]? in
      exchange(&state.hasFallen, with: true) ? nil : exchange(&state.waiting, with: [:])
    }
    guard let waiting else { return }
    process.killAll()
    for call in waiting.values {
      var result = CallResult.bad(MemoryWatch.endedWords)
      result.memory = call.memory?.stop()
      result.memory?.wasEnded = true
      call.continuation.resume(returning: result)
    }
  }

  /// Handles the end of the program: normal if its input was closed, else a crash.
  private func ended() {
    let (isClosing, hasAnswered) = state.withLock { ($0.isClosing, $0.hasAnswered) }
    if isClosing { return }
    if VirtualWorld.isHere.withLock({ $0 }), process.wasKilled,
      state.withLock({ $0.waiting.values.contains { $0.memory != nil } })
    {
      return outgrows()
    }
    guard !process.hasCrashed, !hasAnswered else { return falls(.crashed) }
    let code = process.terminationStatus
    let end = code == 0 ? "ended" : "ended with exit code \(code)"
    falls(
      .unanswered(
        "\(words[0]) \(end) without a response: a program that starts for each call requires {url} "
          + "in its command; a service answers each line of its input with {\"call\": N, \"ok\": "
          + "true or false}."
      )
    )
  }

  /// Reports a failure of the program, unless one was reported. A program that is killed because it
  /// hangs also ends, and that is not a crash of its own.
  private func falls(_ fall: ServiceSubject.ProgramFailure) {
    if !state.withLock({ exchange(&$0.hasFallen, with: true) }) { tell(fall) }
  }

  /// Reports the only failure of the program. If this process continues afterwards, its calls are
  /// ended.
  private func tell(_ fall: ServiceSubject.ProgramFailure) {
    let waits = state.withLock { $0.waiting.compactMapValues { processor.longest(since: $0.mark) } }
    if fall == .hung {
      let asleep = VirtualWorld.sleepWithoutLimit(of: process.processIdentifier)
      for number in state.withLock({ Array($0.waiting.keys) }) {
        hangs(number, ProgramHang(waited: waits[number], asleep: asleep))
      }
    }
    self.fall(fall)
    for (number, call) in state.withLock({ exchange(&$0.waiting, with: [:]) }) {
      var result = CallResult(ending: fall == .hung ? .hung : .crashed, body: nil)
      result.processorDelay = waits[number]
      call.continuation.resume(returning: result)
    }
  }

  /// Prints a sentence about an invalid line to standard error.
  private func complain(_ words: String) {
    let count = state.withLock { state in
      state.complaints += 1
      return state.complaints
    }
    guard count <= Self.complaintsMax else { return }
    let rest = count == Self.complaintsMax ? " Further ones are dropped without a message." : ""
    FileHandle.standardError.write(Data("windtunnel: \(self.words[0]) \(words).\(rest)\n".utf8))
  }
}
