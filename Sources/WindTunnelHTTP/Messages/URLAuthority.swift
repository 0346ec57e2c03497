/// What stands before the path of an address. A cassette has many addresses and few of these, so they
/// are shared.
final class URLAuthority: Sendable, Hashable {
  /// Its parts, as ``RequestURL`` tells them.
  struct Parts: Sendable, Hashable {
    var scheme: String?
    var userInfo: String?
    var host: String?
    var port: Int?
  }

  let parts: Parts
  var scheme: String? { parts.scheme }
  var userInfo: String? { parts.userInfo }
  var host: String? { parts.host }
  var port: Int? { parts.port }

  init(_ parts: Parts) { self.parts = parts }

  static func == (left: URLAuthority, right: URLAuthority) -> Bool {
    left === right || left.parts == right.parts
  }

  func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}
