import TestSupport

/// A report's page, looked at by a browser as wide as a phone and as a desk.
@Suite(.timeLimit(.minutes(5))) struct ReportPageTests {
  /// Says of the page in a frame of each width what is there.
  private static let harness = TestData.text("report-page.html")

  private static let browser = ["chromium", "chromium-browser", "google-chrome"].lazy
    .compactMap(Companion.find).first

  @Test(.referenceClient)
  func `a page is whole on a phone and on a desk, says nothing wrong and asks for nothing`()
    async throws
  {
    guard let browser = Self.browser else { try Test.cancel("chromium is not here") }
    let scratch = try Scratch()
    try await scratch.run(
      "drill --calls 40 --scenario server-errors --scenario calm --stage in-process --rate 200",
      "--gate \("successRate == 1") --report page.html --subject network-layer"
    ).exits(99)
    try scratch.write(Self.harness, to: "harness.html")
    let words = [
      browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--user-data-dir=\(scratch.file("profile").path)", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--disable-default-apps", "--host-resolver-rules=MAP * ~NOTFOUND",
      "--allow-file-access-from-files", "--enable-logging=stderr", "--virtual-time-budget=20000",
      "--dump-dom", scratch.file("harness.html").absoluteString,
    ]
    let look = try await scratch.run(words, isTool: false)
    let told = look.out.firstMatch(of: /id="told">([^<]*)</).map { String($0.1) }
    let page =
      "fits, 0 requests, FAILED (99): 1 note, 1 of 7 gates not met, note asks-again, "
      + "2 scenarios, 2 in the map, true, true, true"
    expectEqual(
      told,
      "390, 0 cut off, hint whole, \(page); 1280, 0 cut off, hint whole, \(page)",
      "\(look.err.suffix(2000))"
    )
    #expect(!look.err.contains("CONSOLE"), "\(look.err)")
  }
}
