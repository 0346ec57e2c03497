internal import Dispatch

/// Nanoseconds that some work took.
func nanoseconds(of work: () throws -> Void) rethrows -> Double {
  let start = DispatchTime.now().uptimeNanoseconds
  try work()
  return Double(DispatchTime.now().uptimeNanoseconds - start)
}

extension [Double] {
  /// The value that this share of the others does not exceed (nearest rank).
  func quantile(_ share: Double) -> Double {
    let sorted = sorted()
    let rank = Int((share * Double(count)).rounded(.up))
    return sorted[Swift.min(Swift.max(rank, 1), count) - 1]
  }

  var median: Double { quantile(0.5) }
}

extension Double {
  func shown(_ digits: Int = 2) -> String {
    let scale = (0..<digits).reduce(1.0) { value, _ in value * 10 }
    let rounded = Int((self * scale).rounded())
    if digits == 0 { return String(rounded) }
    let rest = String(rounded % Int(scale))
    return "\(rounded / Int(scale))." + String(repeating: "0", count: digits - rest.count) + rest
  }
}
