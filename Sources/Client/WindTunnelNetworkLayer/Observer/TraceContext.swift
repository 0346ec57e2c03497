#if canImport(FoundationNetworking)
#else
  internal import Foundation
#endif

/// The identity of a call, for systems that trace a request across servers (W3C Trace Context,
/// level 1).
struct TraceContext: Sendable, Hashable {
  /// The trace id: 32 hexadecimal digits, the same for all attempts of a call, never all zero.
  let traceID: String

  /// Creates a random trace id. `draw` returns numbers in 0..<1.
  init(_ draw: () -> Double) {
    traceID = Self.word(draw) + Self.word(draw)
  }

  /// Returns the value of the field for one attempt (§3.2): version, trace, a new parent, sampled.
  func traceparent(_ draw: () -> Double) -> String { "00-\(traceID)-\(Self.word(draw))-01" }

  /// Returns an id that is unique to this attempt.
  ///
  /// A server might treat requests with equal ids as one operation. An `Idempotency-Key` serves
  /// that purpose.
  func requestID(ofAttempt attempt: Int) -> String { "\(traceID)-\(attempt)" }

  /// Returns 16 random hexadecimal digits. All zero is not a valid identifier (§3.2.2.3).
  private static func word(_ draw: () -> Double) -> String {
    let bits = (0..<2).reduce(UInt64(0)) { bits, _ in
      bits << 32 | UInt64(min(max(0, draw()), 0x1.fffffep-1) * 0x1p32)
    }
    return max(1, bits).hex
  }
}

extension URLRequest {
  /// The trace of its `traceparent`; `nil` if it has none.
  var traceID: String? { traceparentPart(1) }
  /// The parent of its `traceparent`, which identifies the attempt.
  var spanID: String? { traceparentPart(2) }

  private func traceparentPart(_ index: Int) -> String? {
    guard let field = value(forHTTPHeaderField: "traceparent") else { return nil }
    let parts = field.utf8.split(separator: UInt8(ascii: "-"))
    return parts.count == 4 ? String(parts[index]) : nil
  }
}
