/// The number of programs a second that a machine was asked to start, and the number that it can.
public struct ProgramStarts: Sendable, Hashable {
  /// The number of calls that were to begin in a second.
  public var asked: Double
  /// The number of programs that this machine's processors can start in a second, by how long they
  /// took.
  public var possible: Double

  /// Makes it of both.
  public init(asked: Double, possible: Double) { (self.asked, self.possible) = (asked, possible) }

  /// Tells whether programs waited for one another, so that a latency may be the machine's.
  public var isBeyond: Bool { asked > possible }

  /// Why a latency tells nothing then.
  var reason: String {
    "\(Self.text(asked)) calls a second were to begin, and this machine starts "
      + "\(Self.text(possible)) programs a second"
  }

  private static func text(_ rate: Double) -> String { "\(JSON.number(rate, places: 1))" }

  var json: JSON {
    [
      "askedPerSecond": .number(asked, places: 3),
      "possiblePerSecond": .number(possible, places: 3),
    ]
  }

  init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    guard let asked = try object.double("askedPerSecond", in: 0...1e9),
      let possible = try object.double("possiblePerSecond", in: 0...1e9)
    else {
      throw object.error("askedPerSecond", "it needs askedPerSecond and possiblePerSecond")
    }
    self.init(asked: asked, possible: possible)
    try object.refuseUnknownKeys()
  }
}
