import TestSupport

@testable import WindTunnel

@Suite struct LinePatternTests {
  @Test(arguments: [
    ("3 passed in *", "3 passed in 0.12s", true), ("3 passed in *", "3 passed in ", true),
    ("3 passed in *", "13 passed in 0.12s", false), ("*in*s", "3 passed in 0.12s", true),
    ("*in*s", "3 passed in 0.12", false), ("a*a", "a", false), ("a*a", "aa", true),
    ("plain", "plain", true), ("plain", "plainer", false), ("*", "", true), ("", "", true),
    ("a*b*c", "abc", true), ("a*b*c", "acb", false),
  ])
  func `a pattern matches whole lines, with any text for each star`(
    pattern: String,
    line: String,
    isFit: Bool
  ) {
    expectEqual(LinePattern(pattern).fits(line), isFit)
  }

  @Test(arguments: [
    ("3 passed in 0.12s", "3 passed in 0.15s", "3 passed in *"),
    ("took 12 ms", "took 13 ms", "took * ms"), ("took 1 ms", "took 11 ms", "took * ms"),
    (#"{"at": 1.5, "name": 1}"#, #"{"at": 1.7, "name": 1}"#, #"{"at": *, "name": 1}"#),
    ("1701", "1702", nil), ("a b", "a c", nil), ("", "word by word", nil),
    ("for ever", "for ever and ever", "for *"),
  ])
  func `two lines have the pattern of the words that they share`(
    one: String,
    other: String,
    pattern: String?
  ) {
    let found = LinePattern(covering: one, other)
    expectEqual(found?.text, pattern)
    if let found { #expect(found.fits(one) && found.fits(other)) }
  }
}
