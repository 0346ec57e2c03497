/// Seeded random draws that depend only on their purpose.
///
/// Each draw is a function of seed, scenario, lane, key, ordinal, rule and the draw's index in a
/// fixed byte encoding. No generator is shared. Threads, concurrency, shards and ports therefore
/// cannot change a draw, and a new rule does not change the draws of other rules.
public struct Draws: Sendable, Hashable {
  private var base: UInt64

  /// Creates the draws of a purpose.
  ///
  /// The text fields are encoded with their lengths, so that `("ab", "c")` and `("a", "bc")`
  /// differ.
  public init(seed: UInt64, scenario: String, lane: Lane, key: String, ordinal: Int, rule: String) {
    var digest = SHA256()
    digest.update(seed)
    for text in [scenario, lane.name, key, rule] {
      digest.update(UInt64(text.utf8.count))
      digest.update(text.utf8)
    }
    digest.update(UInt64(bitPattern: Int64(ordinal)))
    base = digest.firstNumber()
  }

  /// Creates draws that belong to no scenario.
  package init(seed: UInt64, key: String, ordinal: Int = 0) {
    self.init(seed: seed, scenario: "", lane: .deck, key: key, ordinal: ordinal, rule: "")
  }

  /// Returns draws for another use of the same purpose, independent of these.
  package func apart(_ use: Int) -> Draws {
    var other = self
    other.base = bits(-1 - use)
    return other
  }

  /// Returns the draw with an index: SplitMix64's output function (Steele, Lea and Flood 2014) of a
  /// counter.
  public func bits(_ index: Int) -> UInt64 {
    var mixed = base &+ UInt64(bitPattern: Int64(index)) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Returns the draw with an index as a number from 0 up to but not including 1, in steps of 2⁻⁵³.
  public func unit(_ index: Int) -> Double { Double(bits(index) >> 11) * 0x1p-53 }
}
