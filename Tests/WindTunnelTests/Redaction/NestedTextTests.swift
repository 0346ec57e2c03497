import TestSupport

@testable import WindTunnel

/// Texts within texts: comments and frames of pages, and addresses without a scheme.
@Suite struct NestedTextTests {
  @Test func `a comment and a frame lose their secret, and code that looks alike stays`() {
    let rows = [
      ("<!-- password=x7Kq9vLw2 -->", "<!-- password=REDACTED-password-1 -->"),
      ("<!-- password=x7Kq9vLw2", "<!-- password=x7Kq9vLw2"),
      (
        "<iframe srcdoc=\"&lt;!-- password=x7Kq9vLw2 --&gt;\">",
        "<iframe srcdoc=\"&lt;!-- password=REDACTED-password-1 --&gt;\">"
      ),
      ("f(\"*/*\"); a.token = b.token; g(\"*/*\")", "f(\"*/*\"); a.token = b.token; g(\"*/*\")"),
      ("<a href=\"//ada:x7Kq9@a.test/\">", "<a href=\"//REDACTED-userinfo-1@a.test/\">"),
      ("<a href=\"//a.test/@ada:b\"> //ada@a.test", "<a href=\"//a.test/@ada:b\"> //ada@a.test"),
    ]
    for (page, kept) in rows { expectEqual(keptText(page, "text/html"), kept) }
  }
}
