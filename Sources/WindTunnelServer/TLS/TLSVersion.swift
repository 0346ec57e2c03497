/// A version of TLS that is spoken here; what is older is refused everywhere by now (RFC 8996).
public enum TLSVersion: String, Sendable, Hashable, CaseIterable, Comparable {
  /// RFC 5246.
  case v1_2 = "1.2"
  /// RFC 8446.
  case v1_3 = "1.3"

  /// The number that travels.
  var number: Int { self == .v1_2 ? 0x0303 : 0x0304 }

  /// The older is the lesser.
  public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.number < right.number }
}
