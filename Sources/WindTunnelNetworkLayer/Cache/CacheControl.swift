internal import Foundation

/// What an answer says about keeping it (RFC 9111 §5.2.2 for a private cache, RFC 5861).
struct CacheControl: Hashable {
  /// It is not to be kept.
  var noStore = false
  /// The server is to be asked each time.
  var noCache = false
  /// Once stale it is of no use without the server.
  var mustRevalidate = false
  /// Seconds for which it is fresh.
  var maxAge: Int?
  /// Seconds past that in which it may be shown while a newer one is fetched (RFC 5861 §3).
  var staleWhileRevalidate: Int?
  /// Seconds past that in which it may be shown if the server fails (RFC 5861 §4).
  var staleIfError: Int?

  init(_ headers: Headers) {
    let values = headers.fields.filter { $0.isNamed("Cache-Control") }.map(\.value)
    for word in values.joined(separator: ",").split(separator: ",") {
      let parts = word.split(separator: "=", maxSplits: 1)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      let seconds = parts.count > 1 ? Self.seconds(parts[1]) : nil
      switch parts.first?.lowercased() {
      case "no-store": noStore = true
      // With field names it speaks of those only; taking it whole is on the safe side.
      case "no-cache": noCache = true
      case "must-revalidate": mustRevalidate = true
      // RFC 9111 §4.2.1: what cannot be read is stale.
      case "max-age": maxAge = min(maxAge ?? .max, seconds ?? 0)
      case "stale-while-revalidate": staleWhileRevalidate = seconds
      case "stale-if-error": staleIfError = seconds
      default: break
      }
    }
  }

  /// RFC 9111 §1.2.2: a number that does not fit is 2³¹.
  private static func seconds(_ text: String) -> Int? {
    let digits = text.trimmingCharacters(in: ["\""])
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return min(Int(digits) ?? .max, 1 << 31)
  }
}
