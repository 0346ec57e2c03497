internal import WindTunnelServer

extension HTTPVersions {
  /// The number of the only version; `nil` if there are several.
  var number: String? {
    switch self {
    case .any: nil
    case .http1: "1"
    case .http2: "2"
    }
  }

  /// Creates the versions of `--http`; `nil` if there is no such number.
  init?(number: String) {
    guard let found = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = found
  }
}
