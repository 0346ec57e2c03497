internal import WindTunnel
internal import WindTunnelCommandLine

/// A host that is left alone: its requests are passed on to it and not recorded.
struct IgnoredHost {
  let url: RequestURL
  /// Whether it is meant on every port: its name alone was given.
  let isAnyPort: Bool

  static let name = "--ignore"

  /// As a deck knows it.
  var name: String {
    let host = url.host ?? ""
    return isAnyPort ? host : "\(host):\(url.effectivePort ?? 80)"
  }

  static func all(_ arguments: Arguments) throws(Refusal) -> [IgnoredHost] {
    try arguments.all(name).map { text throws(Refusal) in
      let whole = text.contains("://") ? text : "http://\(text)"
      guard let url = RequestURL.server(whole) else {
        throw .value(name, text, shouldBe: "a host such as telemetry.example.com")
      }
      return IgnoredHost(url: url, isAnyPort: whole != text && url.port == nil)
    }
  }
}

extension RequestURL {
  /// A whole server's address by http or https, without a path.
  static func server(_ text: String) -> RequestURL? {
    let url = RequestURL(text)
    guard let scheme = url.scheme, ["http", "https"].contains(scheme), url.host?.isEmpty == false,
      url.target == "/"
    else { return nil }
    return url
  }
}
