import TestSupport

@testable import WindTunnelServer

/// How many threads serve.
@Suite struct EventLoopGroupTests {
  @Test(arguments: [(1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 2, 4), (8, 4, 4), (64, 4, 4)])
  func `half of the cores are the clients' of a server that only plays`(
    cores: Int,
    playing: Int,
    passing: Int
  ) {
    expectEqual(EventLoopGroup.standardCount(cores: cores, onlyPlays: true), playing)
    expectEqual(EventLoopGroup.standardCount(cores: cores, onlyPlays: false), passing)
  }
}
