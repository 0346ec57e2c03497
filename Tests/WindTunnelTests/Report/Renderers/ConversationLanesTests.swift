import TestSupport

@testable import WindTunnelReports

/// The picture of a call's conversations.
@Suite struct ConversationLanesTests {
  private static func page(_ attempts: [Observation.Attempt]) -> String {
    Flights.report([RuleTests.call(3, .failed("lost"), lasted: 2000, attempts)]).html()
  }

  @Test func `each message lies in the lane of its side, and the end in that of whoever ended it`()
  {
    let page = Self.page([
      RulesOfConversationsTests.conversation(0, ended: (100, .server(1012))),
      RulesOfConversationsTests.conversation(1000, silent: 50),
    ])
    #expect(page.contains("aria-label=\"2 conversations over 1053 ms\""))
    func circles(_ kind: String, _ y: Int) -> Int {
      page.components(separatedBy: "<circle class=\"\(kind)\"").dropFirst()
        .count { $0.prefix(40).contains("cy=\"\(y)\"") }
    }
    #expect(circles("ok", 14) == 2 && circles("ok", 34) == 4)
    #expect(circles("ko", 14) == 0 && circles("ko", 34) == 1)
    #expect(page.contains("cx=\"75.7\" cy=\"34\" r=\"3\""))
  }

  @Test func `a call without conversations has none`() {
    #expect(!Self.page(RuleTests.row(waits: [100])).contains("class=\"lanes\""))
  }
}
