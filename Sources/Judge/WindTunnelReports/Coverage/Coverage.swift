/// The faults of a scenario that a subject's calls met, and those that they did not: for each
/// endpoint that was called and each kind of fault, by the attempt.
///
/// The coverage is computed from a report's own calls and scenario, so that merged parts have that
/// of the whole.
public struct Coverage: Sendable, Hashable {
  /// The coverage of one kind of fault at one endpoint on one attempt.
  public enum State: Sendable, Hashable {
    /// The fault was met by this number of attempts.
    case met(Int)
    /// The fault could have been met by an attempt, and was not.
    case notMet
    /// The fault is not known to have been met, and not every attempt could be observed.
    case unseen
    /// The fault cannot be met: the rules exclude the endpoint or the attempt, or the stage cannot
    /// make the fault.
    case cannotBeMet

    /// The word for it in a report's JSON.
    var word: String { if case .met = self { "met" } else { "\(self)" } }

    /// The number of attempts that met it.
    var count: Int { if case .met(let count) = self { count } else { 0 } }
  }

  /// One kind of fault at one endpoint.
  public struct Row: Sendable, Hashable {
    /// The endpoint that was called, such as `GET /home`.
    public var endpoint: String
    /// The name of the fault, such as `status 503`.
    public var fault: String
    /// The coverage on a first attempt, a second, a third, and on all that follow.
    public var attempts: [State]

    /// The coverage on the first attempt that can meet the fault at all, which is the one that
    /// counts: a careful client need not retry where nothing went wrong.
    public var first: State { attempts.first { $0 != .cannotBeMet } ?? .cannotBeMet }
  }

  /// The rows, in the order of the endpoints' first calls and then of the scenario's faults.
  public var rows: [Row]
  /// Tells whether the scenario has no fault: then there is nothing that was not tried.
  var isOfNoFault: Bool

  /// The rows that count: something can meet their fault.
  var countable: [Row] { rows.filter { $0.first != .cannotBeMet } }

  /// The rows that count and were not met.
  var gaps: [Row] { countable.filter { $0.first.count == 0 } }

  /// The share of those rows which can be met that were met; `nil` where none can be, or where the
  /// attempts were not observed.
  public var share: Double? {
    if isOfNoFault { return 1 }
    let countable = countable
    guard !countable.isEmpty, !countable.contains(where: { $0.first == .unseen }) else {
      return nil
    }
    return Double(countable.count { $0.first.count > 0 }) / Double(countable.count)
  }

  /// Returns the same of some endpoints alone.
  func of(_ isMeant: (String) -> Bool) -> Coverage {
    Coverage(rows: rows.filter { isMeant($0.endpoint) }, isOfNoFault: isOfNoFault)
  }

  /// The number of rows that were met and that count, with the first that were not.
  var words: String {
    let (count, gaps) = (countable.count, gaps)
    let met = "\(count - gaps.count) of \(count)"
    guard !gaps.isEmpty else { return met }
    let shown = gaps.prefix(Self.gapsShown).map { "\($0.fault) at \($0.endpoint)" }
    let rest = gaps.count - shown.count
    return "\(met), not met: \(shown.joined(separator: ", "))"
      + (rest > 0 ? " and \(rest) more" : "")
  }

  /// The greatest number of gaps that are named in a line.
  private static let gapsShown = 3
}
