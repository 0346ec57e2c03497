import Foundation
import Testing

@testable import WindTunnel
@testable import WindTunnelReports

@Suite struct PageTests {
  private static let drawn = Flights.report(Flights.drawn(300, seed: 3)).html()

  @Test func `a page needs nothing else and runs nothing`() throws {
    for page in [Self.drawn, try RenderersTests.nasty().html()] {
      #expect(!page.contains("http://") && !page.contains("https://"))
      for word in ["<script", "@import", "url(", "<img", "<iframe", " onload"] {
        #expect(!page.contains(word), "\(word)")
      }
      #expect(page.contains("default-src 'none'"))
      #expect(page.contains("prefers-color-scheme: dark"))
      #expect(page.contains("width=device-width"))
    }
  }

  @Test func `what comes from outside is shown as it is and never taken for markup`() throws {
    let page = try RenderersTests.nasty().html()
    #expect(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;"))
    #expect(!page.contains("<script>"))
  }

  @Test func `the verdict stands first, then what went wrong, then each failing call`() throws {
    let page = try RenderersTests.nasty().html()
    let order = [
      "<header class=\"verdict fell\">", "<h1>Fell: 1 crash, 0 hangs</h1>", "id=\"gates\"",
      "id=\"heat\"", "id=\"s0\"", "class=\"tiles\"", "class=\"distribution\"",
      "class=\"timeline\"", "2 failing calls", "rainy/1 GET /", "rainy/2 GET /home: crashed",
      "Made with",
    ]
    var rest = page[...]
    for word in order {
      let place = try #require(rest.range(of: word), "\(word)")
      rest = rest[place.upperBound...]
    }
  }

  @Test func `a failing call's story has every attempt with what was seen of it`() {
    var refused = Flights.attempt(
      #"{"delayMilliseconds":12.5},{"status":503,"retryAfterSeconds":1}"#,
      1000,
      to: 1013
    )
    (refused.status, refused.bytes) = (503, 0)
    var cut = Flights.attempt(Flights.reset, 2100, to: 2101, take: "withheld 1")
    (cut.error, cut.bytes) = ("connectionLost", 1234)
    let call = Flights.call(
      17,
      .failed("connectionLost"),
      start: 900,
      milliseconds: 1201,
      [refused, cut]
    )
    let page = Flights.report([call]).html()
    #expect(page.contains("<summary>rainy/17 GET /home: failed: connectionLost, 1201 ms</summary>"))
    #expect(
      page.contains(
        "<tr><td>1</td><td>100 ms</td><td>–</td><td class=\"words\">delayMilliseconds 12.5 → "
          + "status 503, retryAfterSeconds 1</td><td class=\"words\">recording 1</td><td>503</td>"
          + "<td>0 B</td><td>13.0 ms</td><td class=\"words\"></td></tr>"
      )
    )
    #expect(
      page.contains(
        "<tr><td>2</td><td>1200 ms</td><td>1087 ms</td><td class=\"words\">reset afterRequest</td>"
          + "<td class=\"words\">withheld 1</td><td>–</td><td>1.2 kB</td><td>1.0 ms</td>"
          + "<td class=\"words\">connectionLost</td></tr>"
      )
    )
  }

  @Test func `a large drill makes no large page`() {
    let calls = (0..<20_000).map { number in
      Flights.call(number, number % 2 == 0 ? .failed("timedOut") : .succeeded, start: number)
    }
    let page = Flights.report(calls).html()
    #expect(page.utf8.count < 300_000)
    #expect(page.contains("10000 failing calls"))
    #expect(page.contains("9900 more are in the report's JSON."))
    #expect(page.components(separatedBy: "<circle").count - 1 <= 600)
  }

  @Test func `a report of nothing is a page all the same`() {
    let empty = Report(seed: 1, decisionHash: "", platformErrors: "current", scenarios: [])
    #expect(empty.html().contains("Flown, without gates"))
    #expect(Flights.report([]).html().contains("<td>–</td>"))
  }
}
