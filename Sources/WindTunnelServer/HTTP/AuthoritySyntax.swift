internal import Foundation

extension Bytes {
  /// Tells whether this is `uri-host [ ":" port ]` of RFC 9110 §7.2, or nothing at all, which a `Host` may
  /// be where the target has no authority.
  var isHostField: Bool { isEmpty || hasAuthoritySyntax(needsPort: false) }

  /// Tells whether this is `uri-host ":" port`, as `CONNECT` takes it (RFC 9112 §3.2.3).
  var isAuthorityForm: Bool { hasAuthoritySyntax(needsPort: true) }

  private func hasAuthoritySyntax(needsPort: Bool) -> Bool {
    let end: Int
    if first == 0x5B {
      guard let close = firstIndex(of: 0x5D), close > 1 else { return false }
      // RFC 3986 §3.2.2: hexadecimal digits, colons and a dotted end; `v1.` for what may come; and a
      // zone after a percent sign (RFC 6874).
      guard part(1..<close).allSatisfy({ $0 == 0x3A || $0.isRegisteredName }) else { return false }
      end = close + 1
    } else {
      end = firstIndex(of: 0x3A) ?? count
      guard end > 0, part(0..<end).allSatisfy(\.isRegisteredName) else { return false }
    }
    if end == count { return !needsPort }
    guard self[end] == 0x3A else { return false }
    let port = part(end + 1..<count)
    // RFC 3986 §3.2.3: a port may be empty where it is not asked for.
    if port.isEmpty { return !needsPort }
    return port.decimal.map { (needsPort ? 1 : 0)...65_535 ~= $0 } ?? false
  }
}

extension UInt8 {
  /// A character of `reg-name` in RFC 3986 §3.2.2: unreserved, a sub-delimiter, or of an escape.
  fileprivate var isRegisteredName: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    // - . _ ~ %
    case 0x2D, 0x2E, 0x5F, 0x7E, 0x25: true
    // ! $ & ' ( ) * + , ; =
    case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D: true
    default: false
    }
  }
}
