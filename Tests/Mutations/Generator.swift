/// SplitMix64, so that a random test is the same everywhere for its seed.
public struct Generator: RandomNumberGenerator {
  private var state: UInt64

  /// Starts a sequence that is the seed's.
  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension RandomNumberGenerator {
  /// Returns one of several, of which there must be one.
  public mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  /// A text with one byte or a stretch of it changed, removed, doubled or moved.
  public mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...Int.random(in: 0...2, using: &self) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &self)
      let end = min(bytes.count, place + Int.random(in: 1...8, using: &self))
      switch Int.random(in: 0..<5, using: &self) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &self)
      case 1: bytes.removeSubrange(place..<end)
      case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 3: bytes[place] = pick(Array("{}[]\",:\\u0e-_.1nt \n".utf8))
      default: bytes.removeLast(bytes.count - place)
      }
    }
    return bytes
  }
}
