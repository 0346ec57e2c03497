/// A distribution of durations in whole microseconds. Each is stored exactly up to a limit, and in
/// buckets beyond it.
///
/// An exact value takes four bytes, and every percentile is then an observed value. Beyond the
/// limit, the buckets are log-linear (the idea of HdrHistogram, Tene 2012). There are 1024 for each
/// power of two, so that the error is at most a twentieth of a per cent. The result of merging two
/// distributions depends only on their values, not on their order or on how the values were
/// divided.
public struct Distribution: Sendable, Hashable {
  /// The maximum number of values that are stored exactly.
  public let exactMax: Int
  /// The number of values.
  public private(set) var count = 0
  /// The stored values below 2³², and the few above it, which are longer than 71 minutes.
  private var (short, long): ([UInt32], [UInt64]) = ([], [])
  /// The numbers of values by bucket; `nil` if each value is stored exactly.
  private var buckets: [UInt64]?
  private var least = UInt64.max
  private var most: UInt64 = 0

  /// The default limit, for one endpoint of a report. It takes four megabytes.
  public static let exactMaxDefault = 1_000_000

  /// Creates an empty distribution.
  public init(exactMax: Int = exactMaxDefault) { self.exactMax = exactMax }

  /// Whether every value is stored exactly.
  public var isExact: Bool { buckets == nil }

  /// Adds a duration. A negative one counts as zero.
  public mutating func add(_ length: Duration) {
    add(microseconds: UInt64(Swift.max(0, length.wholeMicroseconds)))
  }

  /// Adds a value in microseconds.
  mutating func add(microseconds value: UInt64) {
    if isExact, count >= exactMax { intoBuckets() }
    count += 1
    least = Swift.min(least, value)
    most = Swift.max(most, value)
    if !isExact {
      countInBucket(value)
    } else if let value = UInt32(exactly: value) {
      short.append(value)
    } else {
      long.append(value)
    }
  }

  /// Adds all values of another distribution.
  public mutating func merge(_ other: Distribution) {
    guard other.count > 0 else { return }
    if isExact, !other.isExact || count + other.count > exactMax { intoBuckets() }
    count += other.count
    least = Swift.min(least, other.least)
    most = Swift.max(most, other.most)
    if isExact {
      short += other.short
      long += other.long
    } else {
      countInBuckets(other)
    }
  }

  /// Returns whether two distributions contain the same values, regardless of how they were merged.
  public static func == (one: Distribution, other: Distribution) -> Bool {
    guard one.count == other.count, one.exactMax == other.exactMax,
      one.isExact == other.isExact
    else { return false }
    return one.steps.elementsEqual(other.steps) { $0 == $1 }
  }

  /// Hashes the number of values and the extremes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    if count > 0 {
      hasher.combine(least)
      hasher.combine(most)
    }
  }

  /// The values in order, each with its number. A bucket is represented by its middle.
  fileprivate var steps: [(value: UInt64, count: Int)] {
    guard let buckets else {
      return short.sorted().map { (UInt64($0), 1) } + long.sorted().map { ($0, 1) }
    }
    return buckets.enumerated().compactMap { bucket, count in
      // The middle of a bucket is limited to the range of the observed values.
      count == 0 ? nil : (min(max(Self.middle(of: bucket), least), most), Int(count))
    }
  }

  /// The distribution sorted once, for reading several ranks.
  var sorted: SortedDistribution { SortedDistribution(self) }

  private static let subBits: UInt64 = 10
  private static let sub = 1 << Int(subBits)

  private mutating func intoBuckets() {
    let exact = self
    (short, long, buckets) = ([], [], [])
    countInBuckets(exact)
  }

  private mutating func countInBuckets(_ other: Distribution) {
    for value in other.short { countInBucket(UInt64(value)) }
    for value in other.long { countInBucket(value) }
    for (bucket, count) in (other.buckets ?? []).enumerated() where count > 0 {
      countInBucket(Self.middle(of: bucket), count)
    }
  }

  private mutating func countInBucket(_ value: UInt64, _ times: UInt64 = 1) {
    let bucket = Self.bucket(of: value)
    // A whole power of two at once.
    let missing = (bucket / Self.sub + 1) * Self.sub - (buckets?.count ?? 0)
    if missing > 0 { buckets?.append(contentsOf: repeatElement(0, count: missing)) }
    buckets?[bucket] += times
  }

  /// Each value below 2048 has its own bucket. From there on, each power of two has 1024 buckets.
  static func bucket(of value: UInt64) -> Int {
    guard value >= 2 << subBits else { return Int(value) }
    let shift = UInt64(63 - value.leadingZeroBitCount) - subBits
    return Int(shift) * sub + Int(value >> shift)
  }

  static func middle(of bucket: Int) -> UInt64 {
    guard bucket >= 2 * sub else { return UInt64(bucket) }
    let shift = UInt64(bucket / sub - 1)
    let low = UInt64(bucket % sub + sub) << shift
    return low + (1 << shift) / 2
  }
}

/// A sorted distribution, for reading ranks.
struct SortedDistribution {
  let count: Int
  /// The values in order, each with the number of values up to and including it.
  private let steps: [(value: UInt64, through: Int)]

  fileprivate init(_ distribution: Distribution) {
    count = distribution.count
    var through = 0
    steps = distribution.steps.map { step in
      through += step.count
      return (step.value, through)
    }
  }

  /// Returns the value at a rank, counted from one, or `nil` if there is no such rank.
  func value(atRank rank: Int) -> Duration? {
    guard rank >= 1, rank <= count else { return nil }
    return .microseconds(Int64(clamping: steps[steps.countOfFirst { $0.through < rank }].value))
  }

  /// Returns the percentile by nearest rank.
  func percentile(_ share: Double) -> Duration? {
    Statistics.rank(share, of: count).flatMap { value(atRank: $0) }
  }

  /// Returns a percentile with its 95 % interval by order statistics.
  func quantile(_ share: Double) -> Metrics.Quantile? {
    guard let value = percentile(share) else { return nil }
    let ranks = Statistics.rankInterval(share, of: count)
    return Metrics.Quantile(
      value: value,
      lower: ranks?.lower.flatMap { self.value(atRank: $0) },
      upper: ranks?.upper.flatMap { self.value(atRank: $0) }
    )
  }

  /// The standard deviation divided by the mean. `nil` if there are fewer than two values, or if
  /// all are zero.
  var variation: Double? {
    guard count > 1 else { return nil }
    func sum(_ term: (Double) -> Double) -> Double {
      var (sum, before) = (0.0, 0)
      for step in steps {
        sum += term(Double(step.value)) * Double(step.through - before)
        before = step.through
      }
      return sum
    }
    let mean = sum { $0 } / Double(count)
    guard mean > 0 else { return nil }
    return (sum { ($0 - mean) * ($0 - mean) } / Double(count - 1)).squareRoot() / mean
  }
}
