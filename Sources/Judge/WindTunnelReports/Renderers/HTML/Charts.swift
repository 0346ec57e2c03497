internal import Foundation

/// A logarithmic scale of latencies, from a tenth of a millisecond to the maximum.
private struct TimeScale {
  /// The ends of the scale, as powers of ten of milliseconds.
  private let low: Double
  private let high: Double

  init(_ latencies: some Collection<Duration>) {
    let shown = latencies.map { max($0.inMilliseconds, 0.1) }
    low = log10(shown.min() ?? 1).rounded(.down)
    high = max(low + 1, log10(shown.max() ?? 10).rounded(.up))
  }

  /// Returns the position of a latency on the scale, from 0 to 1.
  func place(_ latency: Duration) -> Double {
    min(1, max(0, (log10(max(latency.inMilliseconds, 0.1)) - low) / (high - low)))
  }

  /// The powers of ten, each with its name.
  var ticks: [(place: Double, name: String)] {
    stride(from: low, through: high, by: 1).map { power in
      let milliseconds = pow(10, power)
      let name =
        milliseconds < 1000
        ? "\(JSON.number(milliseconds, places: 1)) ms"
        : "\(JSON.number(milliseconds / 1000, places: 0)) s"
      return ((power - low) / (high - low), name)
    }
  }
}

/// Returns a coordinate of a drawing, in whole tenths.
private func at(_ value: Double) -> String { "\(JSON.number(value, places: 1))" }

/// A chart of the latencies of calls, with the successful calls of each latency below the failed
/// ones.
struct DistributionChart {
  let calls: [Observation]
  let p50: Duration?
  let p95: Duration?

  private static let bars = 44

  var svg: String {
    guard !calls.isEmpty else { return "" }
    let scale = TimeScale(calls.lazy.map(\.latency))
    var (good, bad) = (Array(repeating: 0, count: Self.bars), Array(repeating: 0, count: Self.bars))
    for call in calls {
      let bar = min(Self.bars - 1, Int(scale.place(call.latency) * Double(Self.bars)))
      if call.ending == .succeeded { good[bar] += 1 } else { bad[bar] += 1 }
    }
    let most = Double(zip(good, bad).map { $0 + $1 }.max() ?? 1)
    var shapes = ""
    let width = 340.0 / Double(Self.bars)
    for bar in 0..<Self.bars where good[bar] + bad[bar] > 0 {
      let x = 10 + Double(bar) * width
      // A single call is visible, too.
      let heights = [good[bar], bad[bar]].map { $0 == 0 ? 0 : max(1.5, 104 * Double($0) / most) }
      for (height, below, name) in [(heights[0], 0, "ok"), (heights[1], heights[0], "ko")]
      where height > 0 {
        shapes += "<rect class=\"\(name)\" x=\"\(at(x))\" y=\"\(at(126 - height - below))\" "
        shapes += "width=\"\(at(width - 1))\" height=\"\(at(height))\"/>"
      }
    }
    for (place, name) in scale.ticks {
      let x = 10 + 340 * place
      shapes += "<line class=\"axis\" x1=\"\(at(x))\" x2=\"\(at(x))\" y1=\"126\" y2=\"130\"/>"
      let anchor = place == 0 ? "start" : place == 1 ? "end" : "middle"
      shapes += "<text x=\"\(at(x))\" y=\"142\" text-anchor=\"\(anchor)\">\(name)</text>"
    }
    for (name, value, y) in [("P50", p50, 12.0), ("P95", p95, 22.0)] {
      guard let value else { continue }
      let x = 10 + 340 * scale.place(value)
      let isRight = x > 270
      shapes +=
        "<line class=\"mark\" x1=\"\(at(x))\" x2=\"\(at(x))\" y1=\"\(at(y - 6))\" y2=\"126\"/>"
      shapes += "<text x=\"\(at(isRight ? x - 3 : x + 3))\" y=\"\(at(y))\" "
      shapes += "text-anchor=\"\(isRight ? "end" : "start")\">\(name) \(Figures.time(value))</text>"
    }
    return """
      <figure><figcaption>How long calls took (logarithmic)</figcaption>
      <svg class="distribution" viewBox="0 0 360 150" role="img" aria-label="Latencies of \
      \(calls.count) calls, P95 \(Figures.time(p95))"><line class="axis" x1="10" x2="350" y1="126" \
      y2="126"/>\(shapes)</svg></figure>

      """
  }
}

/// A chart of the beginnings, the latencies and the failures of calls.
struct TimelineChart {
  let calls: [Observation]

  /// The maximum number of points. Failed calls have priority.
  private static let pointsMax = 600

  var svg: String {
    let timed = calls.filter { ($0.intendedStart ?? $0.start) != nil }
    guard !timed.isEmpty else { return "" }
    let scale = TimeScale(timed.lazy.map(\.latency))
    let length = max(
      timed.compactMap { $0.intendedStart ?? $0.start }.max() ?? .zero,
      .milliseconds(1)
    )
    var shapes = ""
    for (place, name) in scale.ticks {
      let y = 124 - 108 * place
      shapes += "<line class=\"axis\" x1=\"44\" x2=\"350\" y1=\"\(at(y))\" y2=\"\(at(y))\"/>"
      shapes += "<text x=\"40\" y=\"\(at(y + 3))\" text-anchor=\"end\">\(name)</text>"
    }
    for call in shown(timed) {
      guard let start = call.intendedStart ?? call.start else { continue }
      let x = 46 + 302 * (start.inMilliseconds / length.inMilliseconds)
      let isGood = call.ending == .succeeded
      shapes += "<circle class=\"\(isGood ? "ok" : "ko")\" cx=\"\(at(x))\" "
      shapes +=
        "cy=\"\(at(124 - 108 * scale.place(call.latency)))\" r=\"\(isGood ? "1.6" : "2.4")\"/>"
    }
    shapes += "<text x=\"46\" y=\"142\">0</text>"
    shapes += "<text x=\"350\" y=\"142\" text-anchor=\"end\">\(Figures.time(length))</text>"
    return """
      <figure><figcaption>When calls began, and how long each took</figcaption>
      <svg class="timeline" viewBox="0 0 360 150" role="img" aria-label="\(timed.count) calls over \
      \(Figures.time(length))">\(shapes)</svg></figure>

      """
  }

  private func shown(_ timed: [Observation]) -> [Observation] {
    guard timed.count > Self.pointsMax else { return timed }
    let fallen = timed.filter { $0.ending != .succeeded }.prefix(Self.pointsMax / 2)
    let good = timed.filter { $0.ending == .succeeded }
    let room = Self.pointsMax - fallen.count
    let step = max(1, (good.count + room - 1) / room)
    return stride(from: 0, to: good.count, by: step).map { good[$0] } + fallen
  }
}
