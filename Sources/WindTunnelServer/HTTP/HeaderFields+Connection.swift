internal import WindTunnel

extension HeaderFields {
  /// Takes out what speaks of one connection only (RFC 9110 §7.6.1) and what a client and its proxy
  /// have between themselves (RFC 9110 §11.7), but for the mark of content
  /// that had no length beforehand, which may stay at its place.
  ///
  /// A server has read `Host` and `Expect`, too, and passes neither on.
  mutating func removeConnectionFields(
    keepingCoding keepsCoding: Bool = false,
    asServer isServer: Bool = false
  ) {
    let named = values("Connection").flatMap { $0.split(separator: ",") }
      .map { $0.trimmingOptionalWhitespace() }
      // `Connection: close` names no field.
      .filter { !$0.equalsIgnoringASCIICase("close") }
    self = HeaderFields(
      filter { field in
        if named.contains(where: { field.name.equalsIgnoringASCIICase($0) }) { return false }
        // The length rules most names out before a byte is compared.
        switch field.name.utf8.count {
        case 2: return !field.isNamed("TE")
        case 4: return !isServer || !field.isNamed("Host")
        case 6: return !isServer || !field.isNamed("Expect")
        case 7: return !field.isNamed("Trailer") && !field.isNamed("Upgrade")
        case 10: return !field.isNamed("Connection") && !field.isNamed("Keep-Alive")
        case 16: return !field.isNamed("Proxy-Connection")
        case 18: return !field.isNamed("Proxy-Authenticate")
        case 19: return !field.isNamed("Proxy-Authorization")
        case 25: return !field.isNamed("Proxy-Authentication-Info")
        case 17: return keepsCoding || !field.isNamed("Transfer-Encoding")
        default: return true
        }
      }
    )
    if keepsCoding { self["Transfer-Encoding"] = "chunked" }
  }
}
