import Foundation
import Testing

@testable import WindTunnel
@testable import WindTunnelRedaction

/// Texts that a careless reader goes over again and again: some of them took minutes at a hundred
/// kilobytes where the cost grew with the square of the length.
@Suite struct RedactionCostTests {
  private static let pieces = [
    "://a:", "eyJhIjox.", "eyJ-", "eyJhIjox.eyJ.", "a://b?u=", "https://a@", "token=\"",
    "token='\"x", "<token>", "<token><![CDATA[", "<input ", "<input a='", "sk-", "SG.", "token={",
    "password \"", ">", "-----BEGIN PRIVATE KEY-----(", "curl -u ", "Bearer ", "data:{\"a\":\n",
    "%3D%25", "REDACTED-a-", "token=$", "<name>pin</name>", "&amp;token=(", "\\\"token\\\":\\\"",
    "{\"a\":[", "a1 token ", "token '", "token 9f8e7d6c5b4a39281706 ", "123456:AA", "token=//",
    "token:a.",
  ]

  /// The processor's time of this thread, in seconds: other work of the machine is not in it.
  static func spent() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func cost(_ piece: String, bytes: Int) -> Double {
    let text = String(repeating: piece, count: bytes / piece.utf8.count)
    let type: HeaderFields = ["Content-Type": "text/plain"]
    let start = spent()
    var redaction = Redaction(continuing: [])
    let response = Response(headers: type, body: Body(text))
    _ = redaction.redact([Interaction(Request("GET", "/"), response)])
    return spent() - start
  }

  @Test(arguments: pieces)
  func `eight times as much costs eight times as much`(piece: String) {
    _ = Self.cost(piece, bytes: 500)
    let (short, long) = (Self.cost(piece, bytes: 2000), Self.cost(piece, bytes: 16_000))
    // The square would be 64; what is over too soon to tell is no matter.
    #expect(long < 0.2 || long / short < 30, "\(short) s, \(long) s")
  }
}
