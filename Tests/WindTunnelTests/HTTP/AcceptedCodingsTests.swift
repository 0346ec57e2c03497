import TestSupport

@testable import WindTunnel

@Suite struct AcceptedCodingsTests {
  private static func left(of lists: [String]) -> [String] {
    var headers = HeaderFields(lists.map { HeaderField("accept-encoding", $0) })
    headers.acceptOnlyOpenedCodings()
    return headers.values("Accept-Encoding")
  }

  @Test(
    arguments: [
      ([], []), (["gzip"], ["gzip"]), (["gzip , deflate"], ["gzip , deflate"]),
      (["br;q=1.0, gzip;q=0.9, deflate;q=0.8"], ["gzip;q=0.9, deflate;q=0.8"]),
      (["br"], ["identity"]), (["*"], ["identity"]), (["zstd", "X-GZip"], ["X-GZip"]),
      (["gzip;q=0, br"], ["identity"]), (["gzip; Q=0.0"], ["identity"]),
      (["identity;q=0, gzip, br"], ["identity;q=0, gzip"]), ([""], ["identity"]),
    ] as [([String], [String])]
  )
  func `what cannot be opened is not asked for`(lists: [String], left: [String]) {
    expectEqual(Self.left(of: lists), left)
  }
}
