internal import Dispatch
internal import Foundation
internal import WindTunnel

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// Starts the executable again as a subject's process and listens to what it tells.
struct ChildProcess {
  /// How the process ended.
  enum Ending: Sendable, Hashable {
    /// By itself, with nothing left to do.
    case orderly
    /// By a signal or with an error: it crashed.
    case crashed
    /// It told nothing for too long and was killed.
    case silenced
  }

  /// The executable and the arguments that make it a subject's process.
  var executable: URL
  var arguments: [String]

  /// Runs orders and hands over each telegram as it comes.
  func run(
    _ orders: Orders,
    silence: Duration,
    _ receive: @escaping @Sendable (Telegram) -> Void
  ) async throws -> Ending {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    // A crash is a result here; a backtrace of it would take seconds and tell nobody anything.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    let text = try JSONEncoder().encode(orders)
    let watch = Watch(process, silence: silence)
    let ending: Ending = try await withCheckedThrowingContinuation { continuation in
      // The end of its output comes after its last line, so that is what is waited for.
      let listener = Thread {
        Self.listen(to: output.fileHandleForReading) { line in
          watch.heard()
          if let telegram = Telegram(line: line) { receive(telegram) }
        }
        process.waitUntilExit()
        continuation.resume(returning: watch.ending())
      }
      do {
        try process.run()
      } catch {
        return continuation.resume(throwing: error)
      }
      watch.start()
      listener.start()
      // A child that is dead before it has read its orders is seen by the listener.
      try? input.fileHandleForWriting.write(contentsOf: text)
      try? input.fileHandleForWriting.close()
    }
    return ending
  }

  private static func listen(to handle: FileHandle, _ line: (String) -> Void) {
    var pending = Data()
    while true {
      let data = handle.availableData
      if data.isEmpty { break }
      pending.append(data)
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        line(String(decoding: pending[pending.startIndex..<end], as: UTF8.self))
        pending = pending[(end + 1)...]
      }
      pending = Data(pending)
    }
  }

  /// Kills a process that tells nothing for too long.
  private final class Watch: @unchecked Sendable {
    private let process: Process
    private let silence: Duration
    private let state = Locked((last: DispatchTime.now(), isSilenced: false, isOver: false))

    init(_ process: Process, silence: Duration) {
      self.process = process
      self.silence = silence
    }

    func heard() { state.withLock { $0.last = .now() } }

    func start() {
      state.withLock { $0.last = .now() }
      look()
    }

    private func look() {
      let left: Duration? = state.withLock { state in
        if state.isOver { return nil }
        let quiet = DispatchTime.now().uptimeNanoseconds - state.last.uptimeNanoseconds
        let left = silence - .nanoseconds(Int64(quiet))
        if left <= .zero { state.isSilenced = true }
        return left
      }
      guard let left else { return }
      // The process is a child that has not been waited for, so the number is still its own.
      if left <= .zero {
        kill(process.processIdentifier, SIGKILL)
      } else {
        let deadline = DispatchTime.now() + .nanoseconds(Int(left.inNanoseconds))
        DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in self?.look() }
      }
    }

    func ending() -> Ending {
      let isSilenced = state.withLock { state in
        state.isOver = true
        return state.isSilenced
      }
      if isSilenced { return .silenced }
      let isOrderly = process.terminationReason == .exit && process.terminationStatus == 0
      return isOrderly ? .orderly : .crashed
    }
  }
}
