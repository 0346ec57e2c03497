#if !canImport(Darwin)
  internal import CSystem
  package import Foundation
  internal import WindTunnel

  /// A child process, in the words of `Foundation.Process`.
  ///
  /// Not that class itself: on Linux it watches for ends on a run loop that all processes share, and
  /// where one ends while another begins, it has been seen to bring the program down. Here each
  /// process is waited for by a thread of its own. The child starts with no signal blocked, none
  /// ignored, nothing open but its standard streams, and in a process group of its own.
  package final class SpawnedProcess: @unchecked Sendable {
    package var executableURL: URL?
    package var arguments: [String] = []
    package var environment: [String: String]?
    package var currentDirectoryURL: URL?
    /// A `Pipe` or a `FileHandle`, as for the others; `nil`: the parent's own.
    package var standardInput: Any?
    package var standardOutput: Any?
    package var standardError: Any?
    /// Called once, on a thread of its own, when the process has ended.
    package var terminationHandler: (@Sendable (SpawnedProcess) -> Void)?

    private struct State {
      var number: pid_t = 0
      var status: Int32?
    }

    private let state = Locked(State())
    private let ended = DispatchSemaphore(value: 0)

    package init() {}

    package var processIdentifier: Int32 { state.withLock { $0.number } }
    package var isRunning: Bool { state.withLock { $0.number != 0 && $0.status == nil } }

    /// The exit code, or the signal that ended it.
    package var terminationStatus: Int32 {
      let status = state.withLock { $0.status } ?? 0
      return Self.signal(status) == 0 ? status >> 8 & 0xFF : Self.signal(status)
    }

    package var terminationReason: Process.TerminationReason {
      Self.signal(state.withLock { $0.status } ?? 0) == 0 ? .exit : .uncaughtSignal
    }

    private static func signal(_ status: Int32) -> Int32 { status & 0x7F }

    /// Starts the process.
    package func run() throws {
      guard let path = executableURL?.path, FileManager.default.isExecutableFile(atPath: path)
      else {
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: executableURL?.path ?? ""])
      }
      var words = [path] + arguments
      if let folder = currentDirectoryURL?.path {
        words = ["/bin/sh", "-c", "cd -- \"$1\" && shift && exec \"$@\"", "sh", folder] + words
      }
      let number = try spawn(words)
      state.withLock { $0.number = number }
      for case let pipe as Pipe in [standardOutput, standardError] {
        try? pipe.fileHandleForWriting.close()
      }
      if let pipe = standardInput as? Pipe { try? pipe.fileHandleForReading.close() }
      Thread { [self] in wait(for: number) }.start()
    }

    /// Comes back when the process has ended.
    package func waitUntilExit() {
      ended.wait()
      // For whoever waits beside this one.
      ended.signal()
    }

    private func wait(for number: pid_t) {
      var status: Int32 = 0
      while waitpid(number, &status, 0) < 0, errno == EINTR {}
      let ending = status
      state.withLock { $0.status = ending }
      ended.signal()
      terminationHandler?(self)
    }

    private func spawn(_ words: [String]) throws -> pid_t {
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      let streams = [
        (standardInput as? Pipe)?.fileHandleForReading ?? standardInput as? FileHandle,
        (standardOutput as? Pipe)?.fileHandleForWriting ?? standardOutput as? FileHandle,
        (standardError as? Pipe)?.fileHandleForWriting ?? standardError as? FileHandle,
      ]
      for (place, handle) in streams.enumerated() {
        guard let handle else { continue }
        if handle === FileHandle.nullDevice {
          let mode = place == 0 ? O_RDONLY : O_WRONLY
          posix_spawn_file_actions_addopen(&actions, Int32(place), "/dev/null", mode, 0)
        } else {
          posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, Int32(place))
        }
      }
      // What others have open is not the child's: with the end of a pipe in its hands nobody at the other
      // end would ever see that its owner has gone.
      wt_close_others(&actions)
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      var (none, all) = (sigset_t(), sigset_t())
      sigemptyset(&none)
      sigfillset(&all)
      posix_spawnattr_setsigmask(&attributes, &none)
      posix_spawnattr_setsigdefault(&attributes, &all)
      posix_spawnattr_setpgroup(&attributes, 0)
      let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
      posix_spawnattr_setflags(&attributes, Int16(flags))
      let surroundings = environment ?? ProcessInfo.processInfo.environment
      var number: pid_t = 0
      let code = Self.withTexts(words) { arguments in
        Self.withTexts(surroundings.map { "\($0.key)=\($0.value)" }) { environment in
          posix_spawn(&number, words[0], &actions, &attributes, arguments, environment)
        }
      }
      guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
      return number
    }

    private static func withTexts(
      _ texts: [String],
      _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32
    ) -> Int32 {
      let copies = texts.map { strdup($0) }
      defer { for copy in copies { free(copy) } }
      return body(copies + [nil])
    }
  }
#endif
