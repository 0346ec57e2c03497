/// A distribution of lengths of time in whole microseconds, each stored exactly up to a limit and
/// beyond it in buckets.
///
/// A value that is stored exactly takes four bytes, and every percentile is then an observed value.
/// Beyond the limit the buckets are log-linear: 1024 to each power of two, so that a value is known
/// to within a twentieth of a per cent (the idea of HdrHistogram, Tene 2012). The result of merging
/// two distributions depends on their values alone, not on their order or on how the values were
/// divided.
public struct Distribution: Sendable, Hashable {
  private enum Storage: Sendable {
    /// Values below 2³², and the few that are longer than 71 minutes.
    case exact([UInt32], long: [UInt64])
    case buckets([UInt64])
  }

  /// The number of values up to which each is stored exactly.
  public let exactMax: Int
  /// The number of the values.
  public private(set) var count = 0
  private var storage = Storage.exact([], long: [])
  private var least = UInt64.max
  private var most: UInt64 = 0

  /// The limit for one endpoint of a report, which takes four megabytes.
  public static let exactMaxDefault = 1_000_000

  /// Makes an empty distribution.
  public init(exactMax: Int = exactMaxDefault) { self.exactMax = exactMax }

  /// Tells whether every value is stored exactly, and none in a bucket.
  public var isExact: Bool { if case .exact = storage { true } else { false } }

  /// Adds a length of time; a negative one counts as zero.
  public mutating func add(_ length: Duration) {
    add(microseconds: UInt64(Swift.max(0, length.wholeMicroseconds)))
  }

  /// Takes a value in microseconds.
  mutating func add(microseconds value: UInt64) {
    if isExact, count >= exactMax { intoBuckets() }
    count += 1
    least = Swift.min(least, value)
    most = Swift.max(most, value)
    switch storage {
    case .exact(var values, var long):
      // Taken out, so that it is not copied.
      storage = .buckets([])
      if let short = UInt32(exactly: value) { values.append(short) } else { long.append(value) }
      storage = .exact(values, long: long)
    case .buckets(var counts):
      storage = .exact([], long: [])
      Self.count(value, in: &counts)
      storage = .buckets(counts)
    }
  }

  /// Adds all values of another distribution.
  public mutating func merge(_ other: Distribution) {
    guard other.count > 0 else { return }
    if isExact, !other.isExact || count + other.count > exactMax { intoBuckets() }
    count += other.count
    least = Swift.min(least, other.least)
    most = Swift.max(most, other.most)
    switch (storage, other.storage) {
    case (.exact(let values, let long), .exact(let others, let longOthers)):
      storage = .exact(values + others, long: long + longOthers)
    case (.buckets(var counts), .exact(let values, let long)):
      for value in values { Self.count(UInt64(value), in: &counts) }
      for value in long { Self.count(value, in: &counts) }
      storage = .buckets(counts)
    case (.buckets(var counts), .buckets(let others)):
      if counts.count < others.count {
        counts += Array(repeating: 0, count: others.count - counts.count)
      }
      for (bucket, more) in others.enumerated() { counts[bucket] += more }
      storage = .buckets(counts)
    // One that is exact has become buckets above.
    case (.exact, .buckets): break
    }
  }

  /// Tells whether two distributions hold the same values, however often they were merged.
  public static func == (one: Distribution, other: Distribution) -> Bool {
    guard one.count == other.count, one.exactMax == other.exactMax,
      one.isExact == other.isExact
    else { return false }
    return one.steps.elementsEqual(other.steps) { $0 == $1 }
  }

  /// Hashes the values that are compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    if count > 0 {
      hasher.combine(least)
      hasher.combine(most)
    }
  }

  /// The values in order, each with how many there are of it; of a bucket its middle.
  fileprivate var steps: [(value: UInt64, count: Int)] {
    switch storage {
    case .exact(var values, var long):
      values.sort()
      long.sort()
      return values.map { (UInt64($0), 1) } + long.map { ($0, 1) }
    case .buckets(let counts):
      return counts.enumerated().compactMap { bucket, count in
        count == 0 ? nil : (clamped(Self.middle(of: bucket)), Int(count))
      }
    }
  }

  /// The same, sorted once for whoever asks for several ranks.
  var sorted: SortedDistribution { SortedDistribution(self) }

  /// No value lies outside of those that were seen.
  private func clamped(_ value: UInt64) -> UInt64 { Swift.min(Swift.max(value, least), most) }

  private static let subBits: UInt64 = 10
  private static let sub = 1 << Int(subBits)

  private mutating func intoBuckets() {
    guard case .exact(let values, let long) = storage else { return }
    var counts: [UInt64] = []
    for value in values { Self.count(UInt64(value), in: &counts) }
    for value in long { Self.count(value, in: &counts) }
    storage = .buckets(counts)
  }

  private static func count(_ value: UInt64, in counts: inout [UInt64]) {
    let bucket = bucket(of: value)
    if bucket >= counts.count {
      // A whole power of two at once.
      let size = (bucket / sub + 1) * sub
      counts += Array(repeating: 0, count: size - counts.count)
    }
    counts[bucket] += 1
  }

  /// Below 2048 every value has its own; from there on 1024 share a power of two.
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

/// A distribution that is asked for ranks, with its values in order.
struct SortedDistribution {
  let count: Int
  private let form: Form

  private enum Form {
    case values([UInt64])
    /// Values with how many there are up to and with each.
    case cumulated([(value: UInt64, through: Int)])
  }

  fileprivate init(_ distribution: Distribution) {
    count = distribution.count
    let steps = distribution.steps
    if distribution.isExact {
      form = .values(steps.map(\.value))
    } else {
      var through = 0
      form = .cumulated(
        steps.map { step in
          through += step.count
          return (step.value, through)
        }
      )
    }
  }

  /// Returns the value at a rank, counted from one.
  func value(atRank rank: Int) -> Duration? {
    guard 1...max(1, count) ~= rank, count > 0 else { return nil }
    switch form {
    case .values(let values): return .microseconds(Int64(clamping: values[rank - 1]))
    case .cumulated(let steps):
      let place = steps.countOfFirst { $0.through < rank }
      return .microseconds(Int64(clamping: steps[place].value))
    }
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

  /// The standard deviation over the mean; `nil` of fewer than two, or where all are nothing.
  var variation: Double? {
    guard count > 1 else { return nil }
    let steps: [(value: UInt64, count: Int)]
    switch form {
    case .values(let values): steps = values.map { ($0, 1) }
    case .cumulated(let cumulated):
      var before = 0
      steps = cumulated.map { step in
        defer { before = step.through }
        return (step.value, step.through - before)
      }
    }
    let n = Double(count)
    let mean = steps.reduce(0.0) { $0 + Double($1.value) * Double($1.count) } / n
    guard mean > 0 else { return nil }
    let squares = steps.reduce(0.0) { sum, step in
      let away = Double(step.value) - mean
      return sum + away * away * Double(step.count)
    }
    return (squares / (n - 1)).squareRoot() / mean
  }
}
