internal import Foundation

/// A sequence of requests with its own playheads, ordinals and first-N counters.
public struct Lane: Sendable, Hashable, CustomStringConvertible {
  /// The name, which is part of every seeded draw.
  public let name: String

  /// Creates a lane with a name.
  public init(_ name: String) { self.name = name }

  /// Creates the lane of a drill's call, such as `calm/17`.
  package init(scenario: String, call: Int) { name = "\(scenario)/\(call)" }

  /// The number of the lane's call in a drill; `nil` if the lane does not belong to a call.
  ///
  /// The number is read from the name, because a header or a path contains only the name.
  package var call: Int? {
    // Compares bytes, because every event of a drill needs it.
    name.utf8.lastIndex(of: UInt8(ascii: "/")).flatMap { Int(name[name.utf8.index(after: $0)...]) }
  }

  /// The lane of all requests that do not name one.
  public static let deck = Lane("deck")

  /// The lane's name, the same as ``name``.
  public var description: String { name }

  /// The header field that names a call's lane in process.
  ///
  /// It is removed before a request is matched, recorded or forwarded.
  public static let header = "WindTunnel-Call"

  /// The first segment of a path that names a call's lane on the wire:
  /// `/.windtunnel/calm~117/users` requests `/users` in lane `calm/17`.
  public static let pathPrefix = "/.windtunnel/"

  /// The path before every path of a call in this lane: `/.windtunnel/NAME`.
  ///
  /// The name is one segment, with its slashes as `~1` and its tildes as `~0` (RFC 6901 §3).
  /// Slashes are not written as `%2F`, because code that decodes and reassembles a path would
  /// create two segments. `URL.path` and normalising proxies do that. A tilde has the same meaning
  /// in every spelling (RFC 3986 §2.3).
  public var basePath: String {
    let bytes = name.utf8.map { byte in
      // RFC 3986 §2.3: characters that need no escape; a name may contain any others.
      switch byte {
      case UInt8(ascii: "/"): return "~1"
      case UInt8(ascii: "~"): return "~0"
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        return String(UnicodeScalar(byte))
      default: return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return Self.pathPrefix + bytes.joined()
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 5)
