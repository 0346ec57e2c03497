internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer

/// The one run of a program that lives from call to call.
// What of `SpawnedProcess` is used here may be used on any thread.
final class RunningService: Sendable {
  /// The time to end in once its input has ended.
  private static let graceAfterInput = Duration.seconds(2)
  /// The time to end in once it has been told to, and that in which nobody has to be left who holds
  /// its output once it has been killed.
  private static let graceAfterSignal = Duration.seconds(1)
  /// The greatest number of meaningless lines that are reported.
  private static let complaintsMax = 5
  /// Of such a line no more is shown.
  private static let shownMax = 80

  /// A call that has been asked for and not answered.
  private struct Waiting: Sendable {
    var call: DrillCall
    var continuation: CheckedContinuation<CallResult, Never>
    var asked: DispatchTime
    var memory: MemoryWatch?
    var mark: ProcessorWatch.Mark
  }

  private struct State {
    var waiting: [Int: Waiting] = [:]
    /// The first sign that it is there: a call's request, or an answer.
    var there: DispatchTime?
    var hasAnswered = false
    var isClosing = false
    var hasFallen = false
    var complaints = 0

    /// Notes a sign of the program by a call. What the others in it wait for from now on is not its
    /// start.
    mutating func isThere(by call: Int, _ processor: ProcessorWatch) {
      guard there == nil else { return }
      // A busy machine gets round to this later than the sign came.
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
  private let fall: @Sendable (ServiceSubject.Fall) -> Void
  private let process: SpawnedProcess
  private let processor: ProcessorWatch
  private let input = Pipe()
  /// The queue on which lines wait for the program to read them, so that no call's thread does.
  private let writer = DispatchQueue(label: "service")
  private let state = Locked(State())
  private let gone = DispatchSemaphore(value: 0)

  init(
    _ words: [String],
    hangs: @escaping @Sendable (Int, ProgramHang) -> Void,
    _ fall: @escaping @Sendable (ServiceSubject.Fall) -> Void
  ) {
    (self.words, self.hangs, self.fall) = (words, hangs, fall)
    secrets = CommandWords(words)
    process = SpawnedProcess()
    processor = ProcessorWatch(process)
  }

  func start(environment: [String: String], in network: PrivateNetwork?) {
    guard let executable = Executable.find(words[0]) else {
      return falls(.unfit("\(words[0]) is not there."))
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

  /// Asks for a call and waits for its answer; one that does not come in time is a fall.
  func result(of call: DrillCall, within patience: Duration) async -> CallResult {
    let (number, start) = (call.index, call.programStart)
    let memory = call.watchesMemory ? MemoryWatch(process, livesOn: true) : nil
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasFallen = state.withLock { state in
          if state.hasFallen { return true }
          // What it takes to load is no call's time.
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
          // Before the answer to it.
          memory?.noteBefore()
          guard let self else { return }
          state.withLock { $0.isThere(by: number, self.processor) }
        }
        // Only what waits can be ended by a failure.
        memory?.start { [weak self] in self?.outgrows() }
        watch(number, within: patience, after: patience)
        start.whenEndless { [weak self] in self?.falls(.hung) }
        write(ServiceLine.asking(for: call))
        // Its caller may have given it up before it was asked for.
        if Task.isCancelled { write(ServiceLine.cancelling(number)) }
      }
    } onCancel: {
      if state.withLock({ $0.waiting[number] != nil }) { write(ServiceLine.cancelling(number)) }
    }
  }

  /// Looks after so much time whether a call is answered, whose patience begins when the program is
  /// there.
  private func watch(_ number: Int, within patience: Duration, after time: Duration) {
    Self.after(time) { [weak self] in
      guard let self else { return }
      let (next, hangs, outgrew): (Duration?, Bool, Bool) = state.withLock { state in
        guard let waiting = state.waiting[number] else { return (nil, false, false) }
        let end = ProgramStart.end(of: patience, asked: waiting.asked, seen: state.there)
        let left = end - .now()
        guard left <= .zero else {
          return (ProgramStart.nextLook(within: left, isSeen: state.there != nil), false, false)
        }
        // It waits for what does not end, or is busy with what it has of it: that is no silence.
        if waiting.memory?.hasGrown == true { return (nil, false, true) }
        // Under the same lock: an answer that comes now comes too late.
        return (nil, !exchange(&state.hasFallen, with: true), false)
      }
      if let next { watch(number, within: patience, after: next) }
      if hangs { tell(.hung) }
      if outgrew { outgrows() }
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
        // Where that is out of reach it may hold the output open for as long as it likes.
        _ = gone.wait(timeout: .now() + Self.graceAfterSignal)
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
    if let told = ReceivedLine(line), let call = told.call {
      // A conversation may outlive its call, and what is said in it then is no call's.
      state.withLock { $0.waiting[call]?.call }?.received(told.content)
      return
    }
    guard let answer = ServiceAnswer(line: line) else {
      return complain(
        "wrote a line that is no answer, {\"call\": N, \"ok\": true or false}: "
          + "\(secrets.told(line, atMost: Self.shownMax)); the line is dropped"
      )
    }
    let (waiting, hasFallen) = state.withLock { state -> (Waiting?, Bool) in
      // The calls that it leaves behind are looked into one by one, and it is being ended.
      if state.hasFallen { return (nil, true) }
      state.hasAnswered = true
      state.isThere(by: answer.call, processor)
      return (state.waiting.removeValue(forKey: answer.call), false)
    }
    if hasFallen { return }
    guard let waiting else {
      return complain(
        "answered call \(answer.call), which was answered before or never asked for; the line is dropped"
      )
    }
    if let complaint = answer.complaint { complain(complaint) }
    var result = answer.result(of: waiting.call)
    result.memory = waiting.memory?.stop()
    result.processorDelay = processor.longest(since: waiting.mark)
    waiting.continuation.resume(returning: result)
  }

  /// It has more memory than anybody should: it is ended, and so are the calls that wait for it, by
  /// a failure. That is no fall, and the next call has another run.
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

  /// Notes the end of the program: in order where its input had ended, and else as a crash.
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
        "\(words[0]) \(end) without an answer: a program that is started for each call has {url} in its "
          + "command, and one that lives answers each line of its input with "
          + "{\"call\": N, \"ok\": true or false}."
      )
    )
  }

  /// Tells of a fall, unless there was one: a program that is ended because it hangs ends, too, and
  /// that is no crash of its own.
  private func falls(_ fall: ServiceSubject.Fall) {
    if !state.withLock({ exchange(&$0.hasFallen, with: true) }) { tell(fall) }
  }

  /// Tells of its one fall. Where this process goes on after that, its calls are over.
  private func tell(_ fall: ServiceSubject.Fall) {
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

  /// Says in a sentence on standard error what it wrote and nobody could use.
  private func complain(_ words: String) {
    let count = state.withLock { state in
      state.complaints += 1
      return state.complaints
    }
    guard count <= Self.complaintsMax else { return }
    let rest = count == Self.complaintsMax ? " Further ones are dropped unsaid." : ""
    FileHandle.standardError.write(Data("windtunnel: \(self.words[0]) \(words).\(rest)\n".utf8))
  }

  @discardableResult
  private static func after(
    _ time: Duration,
    _ action: @escaping @Sendable () -> Void
  ) -> DispatchWorkItem {
    let item = DispatchWorkItem(block: action)
    DispatchQueue.global().asyncAfter(deadline: .now() + time, execute: item)
    return item
  }
}
