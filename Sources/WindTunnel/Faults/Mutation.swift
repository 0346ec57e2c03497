/// A way for a server to answer wrongly and yet in good form: the message is whole, its length is
/// the body's, and what it says is not what was recorded.
///
/// A JSON body stays to the byte what it was but for the place that is changed. A body in gzip or
/// deflate is opened first and goes out without its coding, since nobody is there to compress it
/// again. An answer that gives no room for a mutation goes out unchanged, and the journal says why
/// (``Journal/Entry/misfits``).
public enum Mutation: Sendable, Hashable {
  /// A JSON body with one of its values changed, or each that a path names.
  case field(Change, Place)
  /// A body that ends early, at a place within it.
  case cut(Cut)
  /// Another status over the recorded fields and body; `nil`: 500 in place of a success (200 to
  /// 299), and 200 in place of anything else.
  case status(Int?)

  /// What becomes of a JSON value.
  public enum Change: String, Sendable, Hashable, CaseIterable {
    /// It is `null`.
    case null
    /// It is gone, and in an object its name with it.
    case missing
    /// It is of another type: a number, `true`, `false` or `null` in quotes, a string as the number
    /// that it spells or else 0, an object as the only element of a list, and a list as an object
    /// with the names `"0"`, `"1"` and so on.
    case wrongType
    /// It is an object with one more member at its end, `"unexpectedField": "unexpected"`.
    case extra
  }

  /// Which values of a JSON body are meant.
  public enum Place: Sendable, Hashable {
    /// Each that a path names.
    case at(JSONPath)
    /// One, drawn from the seed: of the members of all objects, of whatever depth; for
    /// ``Change/extra`` of the objects.
    case anywhere
    /// One by a draw from 0 to 1: 0 is the first in the text, 1 the last.
    case drawn(Double)
  }

  /// Where a body ends early.
  public enum Cut: Sendable, Hashable {
    /// After this many bytes.
    case after(Int)
    /// At a place drawn from the seed.
    case anywhere
    /// At a place by a draw from 0 to 1.
    case drawn(Double)
  }
}

extension Mutation {
  /// A value becomes `null`: each at a path, else one drawn from the seed.
  public static func null(at path: JSONPath? = nil) -> Mutation { change(.null, path) }
  /// A value is missing: each at a path, else one drawn from the seed.
  public static func missing(at path: JSONPath? = nil) -> Mutation { change(.missing, path) }
  /// A value is of another type: each at a path, else one drawn from the seed.
  public static func wrongType(at path: JSONPath? = nil) -> Mutation { change(.wrongType, path) }
  /// An object has a member that nobody expects: each at a path, else one drawn from the seed.
  public static func extra(at path: JSONPath? = nil) -> Mutation { change(.extra, path) }
  /// The body ends after so many bytes, else at a place drawn from the seed.
  public static func truncate(afterBodyBytes count: Int? = nil) -> Mutation {
    .cut(count.map { .after($0) } ?? .anywhere)
  }

  private static func change(_ change: Change, _ path: JSONPath?) -> Mutation {
    .field(change, path.map { .at($0) } ?? .anywhere)
  }

  /// With everything random in it drawn. The draw is kept in millionths, as it is written.
  func resolved(_ draw: () -> Double) -> Mutation {
    func drawn() -> Double { (draw() * 1e6).rounded(.down) / 1e6 }
    return switch self {
    case .field(let change, .anywhere): .field(change, .drawn(drawn()))
    case .cut(.anywhere): .cut(.drawn(drawn()))
    case .field, .cut, .status: self
    }
  }

  /// Which of so many things a draw means.
  static func index(of draw: Double, among count: Int) -> Int {
    min(Int(draw * Double(count)), count - 1)
  }
}
