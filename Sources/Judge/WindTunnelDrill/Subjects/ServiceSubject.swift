internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer

/// A program that is started once and lives from call to call: it reads a call a line and writes an
/// answer a line, in any order. Its pools, caches and budgets live with it.
///
/// If it ends before its input does, or leaves a call without an answer, it has fallen, and its
/// subject's process ends with it: whoever watches that finds out which call is to blame, and
/// starts both again.
struct ServiceSubject: Subject {
  /// The way in which a program falls.
  enum Fall: Sendable, Hashable {
    /// The end before its input ended.
    case crashed
    /// The program leaves a call without an answer.
    case hung
    /// The program ended by itself without any answer. Where it has answered nothing in a whole
    /// drill, it is none that lives from call to call: the reason, in a sentence.
    case unanswered(String)
    /// The program cannot be started, for this reason, a sentence.
    case unfit(String)
  }

  let name = DrillPlan.execSubject
  let needsSockets = true
  // With an alarm of the harness's beside its own a hang would be found twice, and what it takes to
  // load would count towards one.
  private let command: [String]
  private let fall: @Sendable (Fall) -> Void
  /// Receives each open call of a program that hangs, before its fall.
  var hangs: @Sendable (Int, ProgramHang) -> Void = { _, _ in }
  private let running = Locked<RunningService?>(nil)

  /// Makes one of a command, and tells somebody of its fall, who ends this process.
  init(_ command: [String], fall: @escaping @Sendable (Fall) -> Void) {
    (self.command, self.fall) = (command, fall)
  }

  func run(_ call: DrillCall) async -> CallResult {
    // Whatever went wrong before: a program is never sent to anybody but us.
    guard call.leadsNowhereElse else {
      return .bad("\(call.baseURL.host ?? "its address") is not of this machine")
    }
    let service = service(for: call)
    let result = await service.result(of: call, within: DrillCall.patience(call.deadline))
    // The next call has another.
    if result.memory?.wasEnded == true {
      running.withLock { if $0 === service { $0 = nil } }
    }
    return result
  }

  func close() async { await running.withLock { $0 }?.close() }

  /// Returns the program, started for the first call: all others of the scenario come the same way.
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
    // Not another drill's: what is a call's own comes by its line.
    for name in CallPlaceholders.names + ["headers"] {
      environment["WINDTUNNEL_\(name.uppercased())"] = nil
    }
    environment["WINDTUNNEL_CA"] = call.authorityFile?.path
    environment.trust(call.authorityFile)
    return environment
  }
}
