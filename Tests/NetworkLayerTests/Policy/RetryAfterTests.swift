import TestSupport
import WindTunnelNetworkLayer

@Suite struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT, the moment of RFC 9110 §5.6.7.
  let now = ManualTime.epoch

  @Test(arguments: try TestData.rows("retry-after.json", count: 14) as [(String, Int)])
  func `seconds and all three dates are understood`(value: String, seconds: Int) {
    expectEqual(RetryAfter(value, now: now)?.delay(from: now), .seconds(seconds))
  }

  @Test(arguments: [
    "", " ", "-1", "+1", "1.5", "1e3", "0x10", "soon", "１２", "1, 2",
    "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
  ])
  func `garbage is no time`(value: String) {
    expectNil(RetryAfter(value, now: now))
  }

  @Test(arguments: [
    ("Sunday, 06-Nov-44 08:49:37 GMT", "Sun, 06 Nov 2044 08:49:37 GMT"),
    ("Sunday, 06-Nov-44 08:49:38 GMT", "Sun, 06 Nov 1944 08:49:38 GMT"),
    ("Sunday, 06-Nov-45 08:49:37 GMT", "Mon, 06 Nov 1945 08:49:37 GMT"),
    ("Sunday, 06-Nov-00 08:49:37 GMT", "Mon, 06 Nov 2000 08:49:37 GMT"),
  ])
  func `a year of two digits is at most 50 years ahead`(short: String, long: String) {
    expectEqual(RetryAfter(short, now: now), RetryAfter(long, now: now))
  }

  @Test func `a date is counted from the answer's own date, whatever this machine believes`() {
    let answer = ServerResponse(
      status: 503,
      headers: [
        "Date": "Wed, 01 Jan 2020 00:00:00 GMT", "Retry-After": "Wed, 01 Jan 2020 00:00:05 GMT",
      ]
    )
    expectEqual(answer.retryAfter(at: now), .seconds(5))
    expectNil(ServerResponse(status: 503).retryAfter(at: now))
  }
}
