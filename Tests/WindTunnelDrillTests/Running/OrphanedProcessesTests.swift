import TestSupport

@testable import WindTunnelDrill

/// The messages of a subject's process about the programs that it starts.
@Suite struct OrphanedProcessesTests {
  @Test(arguments: [true, false])
  func `a program's group comes through a line`(runs: Bool) throws {
    let message = try #require(
      WorkerMessage(line: String(WorkerMessage.program(77, runs: runs).line.dropLast()))
    )
    guard case .program(77, runs: let read) = message else {
      Issue.record("\(message) is no program")
      return
    }
    expectEqual(read, runs)
    #expect(OrphanedProcesses().take(message))
    #expect(!OrphanedProcesses().take(.began(7, at: .zero)))
  }
}
