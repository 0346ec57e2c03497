internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// A program that is started once and handles many calls. It reads one call per line and writes one
/// result per line, in any order. Its pools, caches and budgets last for all calls.
///
/// The program fails if it ends before its input does, or leaves a call without a result. Its
/// client process then ends with it. The parent finds out which call is responsible, and starts
/// both again.
struct ServiceSubject: Subject {
  /// The way in which a program fails.
  enum ProgramFailure: Sendable, Hashable {
    /// The program ended before its input did.
    case crashed
    /// The program left a call without a result.
    case hung
    /// The program ended by itself without any result. If there is no result in the whole drill, it
    /// is not a long-running program. The value is the reason, in a sentence.
    case unanswered(String)
    /// The program cannot be started. The value is the reason, in a sentence.
    case unfit(String)
  }

  let name = DrillPlan.execSubject
  let needsSockets = true
  // A second alarm of the harness would report a hang twice, and would count the time to load the
  // program.
  private let command: [String]
  private let fall: @Sendable (ProgramFailure) -> Void
  /// Receives each open call of a program that hangs, before the failure is reported.
  var hangs: @Sendable (Int, ProgramHang) -> Void = { _, _ in }
  private let running = Locked<RunningService?>(nil)

  /// Creates a client from a command. `fall` receives its failure, and ends this process.
  init(_ command: [String], fall: @escaping @Sendable (ProgramFailure) -> Void) {
    (self.command, self.fall) = (command, fall)
  }

  func run(_ call: DrillCall) async -> CallResult {
    // A safeguard: a program must never be directed to another host.
    guard call.leadsNowhereElse else {
      return .bad("\(call.baseURL.host ?? "its address") is not on this machine")
    }
    let service = service(for: call)
    let result = await service.result(of: call, within: DrillCall.patience(call.deadline))
    // The next call starts the program again.
    if result.memory?.wasEnded == true {
      running.withLock { if $0 === service { $0 = nil } }
    }
    return result
  }

  func close() async { await running.withLock { $0 }?.close() }

  /// Returns the program, which is started for the first call. All other calls of the scenario use
  /// the same program.
  private func service(for call: DrillCall) -> RunningService {
    running.withLock { running in
      if let running { return running }
      let service = RunningService(words(for: call), hangs: hangs, fall)
      call.programStart.isDue()
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
    // Removed, so that another drill's values are not inherited. The line of a call contains its
    // own values.
    for name in CallPlaceholders.names + ["headers"] {
      environment["WINDTUNNEL_\(name.uppercased())"] = nil
    }
    environment["WINDTUNNEL_CA"] = call.authorityFile?.path
    environment.trust(call.authorityFile)
    return environment
  }
}
