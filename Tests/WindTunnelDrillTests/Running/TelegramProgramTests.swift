import Testing

@testable import WindTunnelDrill

/// What a subject's process tells of the programs that it starts.
@Suite struct TelegramProgramTests {
  @Test(arguments: [true, false])
  func `a program's group comes through a line`(runs: Bool) throws {
    let telegram = try #require(
      Telegram(line: String(Telegram.program(77, runs: runs).line.dropLast()))
    )
    guard case .program(77, runs: let read) = telegram else {
      Issue.record("\(telegram) is no program")
      return
    }
    #expect(read == runs)
    #expect(LeftPrograms().take(telegram))
    #expect(!LeftPrograms().take(.began(7)))
  }
}
