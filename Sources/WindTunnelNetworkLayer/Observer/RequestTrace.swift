#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#else
  internal import Foundation
#endif

extension URLRequest {
  /// The trace of its `traceparent`; `nil` where it has none.
  var traceID: String? { traceparentPart(1) }
  /// The parent of its `traceparent`, which stands for the attempt.
  var spanID: String? { traceparentPart(2) }

  private func traceparentPart(_ index: Int) -> String? {
    let parts = value(forHTTPHeaderField: "traceparent")?.split(separator: "-") ?? []
    return parts.count == 4 ? String(parts[index]) : nil
  }
}
