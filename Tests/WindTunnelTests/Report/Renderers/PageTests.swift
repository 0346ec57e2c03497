import TestSupport

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
      "<header class=\"verdict crashed\">", "<h1>CRASHED (97): 1 call", "id=\"gates\"",
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

  @Test func `a failing call's page lists every attempt with its observations`() {
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
    #expect(page.contains("The JSON report has 9900 more."))
    #expect(page.components(separatedBy: "<circle").count - 1 <= 600)
  }

  @Test func `a report of nothing is a page all the same`() {
    let empty = Report()
    #expect(empty.html().contains("<h1>passed, without gates or rules</h1>"))
    #expect(empty.html().contains("<p>No clients were tested.</p>"))
    let nothing = "<td class=\"hx\" data-name=\"all\" title=\"Not measured: 0 calls\">–</td>"
    #expect(Flights.report([]).html().contains(nothing))
  }

  private static func tested(_ report: Report) -> Substring? {
    report.html().firstMatch(of: /<header[^>]*><p class="dim">([^<]*)<\/p>/)?.1
  }

  @Test func `the first line has the client, the cassette, the date and the version`() throws {
    func tested(_ facts: Report.Fact...) -> Substring? {
      Self.tested(Flights.report([Flights.call()], facts: facts))
    }
    expectEqual(
      tested(
        .init("name", "Library 2.1"),
        .init("cassetteFile", "Cassettes/mine/shop.json"),
        .init("date", "2026-11-28T09:30:00Z"),
        .init("windtunnel", "0.1.0")
      ),
      "Library 2.1 · shop.json · 2026-11-28 · windtunnel 0.1.0"
    )
    expectEqual(tested(), "client · the shipped shop")
    let shop = try SHA256.hexadecimal(Shipped.cassette().data())
    expectEqual(tested(.init("cassette", shop)), "client · the shipped shop")
    // A cassette that was made in code has no name.
    let version = Report.Fact("windtunnel", "0.1.0")
    expectEqual(tested(.init("cassette", "c"), version), "client · windtunnel 0.1.0")
  }

  @Test func `sentences are short and have plain words`() {
    var report = Flights.report(Flights.drawn(60, seed: 5))
    report.scenarios[0].subjects.append(Report.Row("curl", [Flights.call()]))
    let text = report.html().replacing(/<style>[^<]*<\/style>/, with: "")
    #expect(text.contains("; compared with curl</p>"))
    let sections = ["findings", "heat", "s0"].map { "<section id=\"\($0)\"" }
    expectEqual(sections.filter { !text.contains($0) }, [])
    // The words of findings and reasons are those of the rules.
    let own = text.replacing(/<article.*?<\/article>/.dotMatchesNewlines(), with: "")
      .replacing(/<li>.*?<\/li>/, with: "")
    let words = own.replacing(/<[^>]*>/, with: " ").lowercased().split { !$0.isLetter }
    let metaphors: Set<Substring> = [
      "answer", "answers", "tape", "flight", "flew", "flown", "fly", "weather", "storm", "whoever",
      "nobody", "yardstick", "yardsticks", "mend", "dealt",
    ]
    expectEqual(words.filter { metaphors.contains($0) }, [])
    let sentences = own.matches(of: /<(?:p|figcaption)(?: [^>]*)?>(.*?)<\/(?:p|figcaption)>/)
      .flatMap { $0.1.replacing(/<[^>]*>/, with: "").components(separatedBy: ". ") }
    #expect(sentences.count > 5)
    expectEqual(sentences.filter { $0.split(separator: " ").count > 25 }, [])
  }
}
