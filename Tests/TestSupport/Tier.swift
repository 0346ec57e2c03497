internal import CTestWidth
internal import Foundation
public import Testing

/// The two tiers of tests.
///
/// Bare `swift test` runs the value tier. The world tier holds the tests that repeat by the thousand or
/// that need programs of others; `WINDTUNNEL_TESTS=all` runs both.
public enum Tier {
  /// Whether the tests of the world tier run, too.
  public static let includesWorld: Bool = {
    // Evaluated with the traits of tests, when the library has read the width.
    test_width_forget()
    return ProcessInfo.processInfo.environment["WINDTUNNEL_TESTS"] == "all"
  }()

  /// Returns the first cases in the value tier, and all of them in the world tier. The test has the trait
  /// ``bothTiers``.
  public static func cases<Case>(_ all: [Case], few count: Int) -> [Case] {
    includesWorld ? all : Array(all.prefix(count))
  }

  /// The number of test cases that run at the same time.
  public static var width: Int { Int(test_width()) }
}

extension Trait where Self == ConditionTrait {
  /// Puts a test or a suite into the world tier.
  public static var world: Self {
    .enabled(if: Tier.includesWorld, "world tier: WINDTUNNEL_TESTS=all swift test")
  }

  /// Says that a test has more cases in the world tier, or larger ones: it belongs to both.
  public static var bothTiers: Self { .enabled(if: true) }
}
