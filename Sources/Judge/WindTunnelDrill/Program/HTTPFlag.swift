package import WindTunnelCommandLine
package import WindTunnelServer

extension Flag {
  /// The version of HTTP that a server speaks.
  package static let http = Flag("--http", "1|2", choices: ["1", "2"])
    .help("Speak HTTP/1.1 or HTTP/2 alone (default: both).")
  /// The same for the servers of a drill, of which those in clear have no way to agree on one.
  static let httpOverTLS = Flag(http.name, "1|2", choices: ["1", "2"])
    .help("Speak HTTP/1.1 or HTTP/2 alone over TLS (default: both).")
}

extension Arguments {
  /// Returns the versions of HTTP that `--http` names; without it, all.
  package func httpVersions() throws(CommandError) -> HTTPVersions {
    guard let text = try value(Flag.http.name) else { return .any }
    guard let versions = HTTPVersions(number: text) else {
      throw .value(Flag.http.name, text, shouldBe: "1 or 2")
    }
    return versions
  }
}
