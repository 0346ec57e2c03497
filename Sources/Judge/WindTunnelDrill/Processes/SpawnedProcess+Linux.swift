#if !canImport(Darwin)
  @_spi(WindTunnel) internal import WindTunnelCore
  internal import CWindTunnelSystem
  internal import Foundation
  internal import WindTunnelServer

  /// The state of a child process, and semaphores for its end.
  final class SystemProcess: @unchecked Sendable {
    struct State {
      var number: pid_t = 0
      var status: Int32?
      /// The supervisor of the child while it runs.
      var supervised: wt_supervised?
    }

    let state = Locked(State())
    let ended = DispatchSemaphore(value: 0)
    let gone = DispatchSemaphore(value: 0)
  }

  extension SpawnedProcess {
    /// Whether a child ignores the signals that this process ignores.
    package static let inheritsIgnoredSignals = false

    private var state: Locked<SystemProcess.State> { system.state }

    package var processIdentifier: Int32 { state.withLock { $0.number } }
    var isRunning: Bool { state.withLock { $0.number != 0 && $0.status == nil } }

    /// The status of a program if the real one is unknown. It must not count as a success.
    private static let unknownStatus = SIGKILL

    private var status: Int32 { state.withLock { $0.status } ?? Self.unknownStatus }

    /// The exit code, or the signal that ended the process.
    package var terminationStatus: Int32 {
      Self.signal(status) == 0 ? status >> 8 & 0xFF : Self.signal(status)
    }

    package var terminationReason: TerminationReason {
      Self.signal(status) == 0 ? .exit : .uncaughtSignal
    }

    private static func signal(_ status: Int32) -> Int32 { status & 0x7F }

    /// Starts the process. Throws if it cannot be started.
    package func run() throws {
      guard let path = executableURL?.path, FileManager.default.isExecutableFile(atPath: path)
      else {
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: executableURL?.path ?? ""])
      }
      let words =
        currentDirectoryURL.map { folder in
          ["/bin/sh", "-c", "cd -- \"$1\" && shift && exec \"$@\"", "sh", folder.path, path]
            + arguments
        } ?? [path] + arguments
      // The thread that waits for the child also starts it: when the starting thread ends, the
      // kernel treats its child as an orphan.
      let started = DispatchSemaphore(value: 0)
      let outcome = Locked(Result<pid_t, POSIXError>.failure(POSIXError(.EINVAL)))
      Thread { [self] in
        let result = spawn(words)
        if case .success(let number) = result { state.withLock { $0.number = number } }
        outcome.withLock { $0 = result }
        started.signal()
        if case .success(let number) = result { wait(for: number) }
      }.start()
      started.wait()
      _ = try outcome.withLock { $0 }.get()
      for case let pipe as Pipe in [standardOutput, standardError] {
        try? pipe.fileHandleForWriting.close()
      }
      if let pipe = standardInput as? Pipe { try? pipe.fileHandleForReading.close() }
    }

    /// Returns when the process has ended.
    package func waitUntilExit() {
      system.ended.wait()
      // Wakes the next waiting thread.
      system.ended.signal()
    }

    /// Returns when all processes that a supervised process has started have ended, too.
    package func waitUntilGone() {
      system.gone.wait()
      system.gone.signal()
    }

    /// Sends SIGTERM to the process group, as a shell would.
    package func askToEnd() { signal(SIGTERM, wt_ask_supervised) }

    /// Kills the process with everything that it has started. A supervisor kills all remaining
    /// processes, even if the process itself has ended. Without one, the process group is killed.
    package func killAll() { signal(SIGKILL, wt_end_supervised) }

    private func signal(_ signal: Int32, _ tell: (UnsafePointer<wt_supervised>?) -> Void) {
      // Under the lock: the number of a process that was waited for may be reused by another
      // process.
      state.withLock { state in
        if var supervised = state.supervised { return tell(&supervised) }
        if state.number != 0, state.status == nil { kill(-state.number, signal) }
      }
    }

    private func wait(for number: pid_t) {
      // The status stays unknown if the system does not report how the program ended.
      var status = Self.unknownStatus
      let supervised = state.withLock { $0.supervised }
      if var supervised {
        status = wt_supervised_status(&supervised)
      } else {
        while waitpid(number, &status, 0) < 0, errno == EINTR {}
      }
      let ending = status
      state.withLock { $0.status = ending }
      system.ended.signal()
      terminationHandler?(self)
      if let supervised { wait(forSupervisor: supervised.supervisor) }
      system.gone.signal()
    }

    /// Waits for the supervisor on the thread that has started it, because the supervisor ends with
    /// that thread.
    private func wait(forSupervisor number: pid_t) {
      var info = siginfo_t()
      // The supervisor keeps its number until this process sends it no more signals.
      while waitid(P_PID, id_t(number), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      state.withLock { $0.supervised = nil }
      while waitpid(number, nil, 0) < 0, errno == EINTR {}
    }

    private func spawn(_ words: [String]) -> Result<pid_t, POSIXError> {
      let handles = [
        (standardInput as? Pipe)?.fileHandleForReading ?? standardInput as? FileHandle,
        (standardOutput as? Pipe)?.fileHandleForWriting ?? standardOutput as? FileHandle,
        (standardError as? Pipe)?.fileHandleForWriting ?? standardError as? FileHandle,
      ]
      let streams = handles.map { handle -> Int32 in
        guard let handle else { return Int32(WT_INHERITED) }
        return handle === FileHandle.nullDevice ? Int32(WT_NOTHING) : handle.fileDescriptor
      }
      let surroundings = environment ?? ProcessInfo.processInfo.environment
      let number = Self.withTexts(words) { arguments in
        Self.withTexts(surroundings.map { "\($0.key)=\($0.value)" }) { environment in
          guard isSupervised else {
            return wt_start(words[0], arguments, environment, streams, endsWithParent ? 1 : 0)
          }
          func start(_ network: UnsafePointer<wt_network>?) -> Int32 {
            var supervised = wt_supervised()
            let path = words[0]
            guard
              wt_start_supervised(
                path,
                arguments,
                environment,
                streams,
                heldOpen,
                network,
                &supervised
              ) == 0
            else { return -1 }
            let started = supervised
            state.withLock { $0.supervised = started }
            return started.program
          }
          return network.map { $0.withNetwork { start($0) } } ?? start(nil)
        }
      }
      return number > 0
        ? .success(number) : .failure(POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL))
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
