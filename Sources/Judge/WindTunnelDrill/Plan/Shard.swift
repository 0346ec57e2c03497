/// A part of a drill's calls, so that several machines share one drill.
///
/// The faults of a call depend only on its number, so sharding does not change any decision. The
/// reports of all shards merge into the report of the whole drill.
public struct Shard: Sendable, Hashable, CustomStringConvertible {
  /// The number of the part, counted from 1.
  public var number: Int
  /// The number of all parts.
  public var count: Int

  /// The maximum number of parts.
  public static let countMax = 10_000

  /// Creates a shard, or returns `nil` if the number is not between 1 and the count.
  public init?(_ number: Int, of count: Int) {
    guard 1...Self.countMax ~= count, 1...count ~= number else { return nil }
    (self.number, self.count) = (number, count)
  }

  /// Parses a text such as `3/8`.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1] else { return nil }
    self.init(number, of: count)
  }

  /// Reads the shard from the environment of a CI job or Kubernetes; `nil` if there is none.
  ///
  /// The variables are `WINDTUNNEL_SHARD=3/8`; GitLab's `CI_NODE_INDEX` of `CI_NODE_TOTAL` (from
  /// 1); CircleCI's `CIRCLE_NODE_INDEX` of `CIRCLE_NODE_TOTAL` and Buildkite's
  /// `BUILDKITE_PARALLEL_JOB` of `BUILDKITE_PARALLEL_JOB_COUNT` (from 0); an Indexed Job's
  /// `JOB_COMPLETION_INDEX` (from 0) of `WINDTUNNEL_SHARDS`.
  public init?(environment: [String: String]) {
    if let text = environment["WINDTUNNEL_SHARD"] {
      self.init(text)
      return
    }
    for (index, count, first) in Self.variables {
      guard let number = environment[index].flatMap({ Int($0) }),
        let parts = environment[count].flatMap({ Int($0) })
      else { continue }
      self.init(number - first + 1, of: parts)
      return
    }
    return nil
  }

  /// Returns the variable of an incomplete shard in the environment, and the other variable, which
  /// is missing or invalid.
  static func half(of environment: [String: String]) -> (there: String, missing: String)? {
    if environment["WINDTUNNEL_SHARD"] != nil { return ("WINDTUNNEL_SHARD", "I/N in it") }
    return variables.first { environment[$0.0] != nil || environment[$0.1] != nil }.map {
      environment[$0.0] == nil ? ($0.1, $0.0) : ($0.0, $0.1)
    }
  }

  private static let variables = [
    ("CI_NODE_INDEX", "CI_NODE_TOTAL", 1),
    ("CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0),
    ("BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0),
    ("JOB_COMPLETION_INDEX", "WINDTUNNEL_SHARDS", 0),
  ]

  /// Returns the numbers of the shard's calls out of a total, in order.
  func calls(of count: Int) -> [Int] { Array(stride(from: number - 1, to: count, by: self.count)) }

  /// The shard as text, such as `3/8`.
  public var description: String { "\(number)/\(count)" }
}
