import TestSupport

@testable import WindTunnel

@Suite struct CassetteDatesTests {
  private func cassette(_ paths: String...) -> Cassette {
    Cassette(paths.map { Interaction(Request("GET", RequestURL($0)), .json([])) })
  }

  @Test func `only what is new is dated, by the second`() {
    var later = cassette("/a", "/b")
    later.date(Date(timeIntervalSince1970: 1_762_164_000.9), whereNotIn: cassette("/a"))
    expectEqual(later.interactions.map(\.recordedAt), [nil, "2025-11-03T10:00:00Z"])
  }

  @Test func `age is counted in days, and what bears no date has none`() {
    var tape = cassette("/a", "/b", "/c", "/d")
    tape.interactions[0].recordedAt = "2025-11-01T09:59:59Z"
    tape.interactions[1].recordedAt = "2025-11-01T12:00:01+02:00"
    tape.interactions[2].recordedAt = "yesterday"
    let (numbers, undatedCount) = tape.older(
      thanDays: 2,
      at: Date(timeIntervalSince1970: 1_762_164_000)
    )
    expectEqual(numbers, [1])
    expectEqual(undatedCount, 2)
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
    (1_762_164_000_123, "2025-11-03T10:00:00.123Z"), (-5, "1970-01-01T00:00:00.000Z"),
    (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
  ])
  func `a date is written as it is read`(milliseconds: Int, text: String) {
    expectEqual(DateText.text(.milliseconds(milliseconds)), text)
    expectEqual(DateText.sinceEpoch(text), .milliseconds(max(0, milliseconds)))
  }

  @Test func `a date of HTTP is read with spaces and dashes`() {
    let date = Duration.seconds(1_792_567_680)
    expectEqual(DateText.sinceEpoch(http: "Wed, 21 Oct 2026 07:28:00 GMT"), date)
    expectEqual(DateText.sinceEpoch(http: "Wed, 21-Oct-2026 07:28:00 GMT"), date)
    expectEqual(DateText.sinceEpoch(http: "Wednesday, 21-Oct-26 07:28:00 GMT"), date)
    expectEqual(DateText.sinceEpoch(http: "Wed Oct 21 07:28:00 2026"), date)
    let past = DateText.sinceEpoch(http: "Sunday, 06-Nov-94 08:49:37 GMT")
    expectEqual(past, DateText.sinceEpoch(http: "Sun Nov  6 08:49:37 1994"))
    expectEqual(past, .seconds(784_111_777))
    expectNil(DateText.sinceEpoch(http: "Wed, 21 Okt 2026 07:28:00 GMT"))
  }
}
