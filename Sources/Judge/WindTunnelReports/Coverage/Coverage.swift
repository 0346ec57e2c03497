/// The faults of a scenario that a client's calls met, and the faults that they did not meet. There
/// is a row for each endpoint that was called and each kind of fault, divided by attempt.
///
/// The coverage is calculated from a report's own calls and scenario. The coverage of merged parts
/// is therefore that of the whole drill.
public struct Coverage: Sendable, Hashable {
  /// The coverage of one kind of fault at one endpoint on one attempt.
  public enum State: Sendable, Hashable {
    /// The fault was met by this number of attempts.
    case met(Int)
    /// The fault was possible, but no attempt met it.
    case notMet
    /// No observed attempt met the fault, but some attempts could not be observed.
    case unseen
    /// The fault is impossible: the rules exclude the endpoint or the attempt, or the stage does
    /// not support the fault.
    case cannotBeMet

    /// The name of the state in a report's JSON.
    var word: String { if case .met = self { "met" } else { "\(self)" } }

    /// The number of attempts that met the fault.
    var count: Int { if case .met(let count) = self { count } else { 0 } }
  }

  /// One kind of fault at one endpoint.
  public struct Row: Sendable, Hashable {
    /// The endpoint that was called, such as `GET /home`.
    public var endpoint: String
    /// The name of the fault, such as `status 503`.
    public var fault: String
    /// The coverage on the first attempt, the second, the third, and all later ones.
    public var attempts: [State]

    /// The coverage on the first attempt that can meet the fault. Only this one counts, because a
    /// client does not need to retry without a failure.
    public var first: State { attempts.first { $0 != .cannotBeMet } ?? .cannotBeMet }
  }

  /// The rows, in the order of the endpoints' first calls and then of the scenario's faults.
  public var rows: [Row]
  /// Whether the scenario has no faults, so that the coverage is complete.
  var isOfNoFault: Bool

  /// The rows that count, because some attempt can meet their fault.
  var countable: [Row] { rows.filter { $0.first != .cannotBeMet } }

  /// The rows that count and whose fault no attempt met.
  var gaps: [Row] { countable.filter { $0.first.count == 0 } }

  /// The share of the countable rows whose fault was met. `nil` if no row counts, or if attempts
  /// were not observed.
  public var share: Double? {
    if isOfNoFault { return 1 }
    let countable = countable
    guard !countable.isEmpty, !countable.contains(where: { $0.first == .unseen }) else {
      return nil
    }
    return Double(countable.count { $0.first.count > 0 }) / Double(countable.count)
  }

  /// Returns the coverage of some endpoints alone.
  func of(_ isMeant: (String) -> Bool) -> Coverage {
    Coverage(rows: rows.filter { isMeant($0.endpoint) }, isOfNoFault: isOfNoFault)
  }

  /// The number of rows whose fault was met, the number of rows that count, and the first gaps.
  var words: String {
    let (count, gaps) = (countable.count, gaps)
    let met = "\(count - gaps.count) of \(count)"
    guard !gaps.isEmpty else { return met }
    let shown = gaps.prefix(Self.gapsShown).map { "\($0.fault) at \($0.endpoint)" }
    let rest = gaps.count - shown.count
    return "\(met), not met: \(shown.joined(separator: ", "))"
      + (rest > 0 ? " and \(rest) more" : "")
  }

  /// The maximum number of gaps that are named in a line.
  private static let gapsShown = 3
}
