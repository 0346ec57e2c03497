internal import Foundation
internal import WindTunnel

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// What the figures were made with.
enum Environment {
  static func facts(cassette: Cassette) -> [Report.Fact] {
    [
      Report.Fact("cassette", SHA256.hexadecimal(cassette.data())),
      Report.Fact("os", ProcessInfo.processInfo.operatingSystemVersionString),
      Report.Fact("processors", String(ProcessInfo.processInfo.activeProcessorCount)),
      Report.Fact("libcurl", version("libcurl.so.4", "curl_version") ?? "none"),
      Report.Fact("openssl", version("libcrypto.so.3", "OpenSSL_version") ?? "none"),
      Report.Fact("build", Build.isDebug ? "debug" : "release"),
    ]
  }

  /// Asks a library that is there for its version; both take at most one integer, and 0 means the
  /// version's text.
  private static func version(_ library: String, _ function: String) -> String? {
    typealias Version = @convention(c) (Int32) -> UnsafePointer<CChar>?
    guard let handle = dlopen(library, RTLD_NOW), let symbol = dlsym(handle, function) else {
      return nil
    }
    return unsafeBitCast(symbol, to: Version.self)(0).map { String(cString: $0) }
  }
}

/// How this program was built.
package enum Build {
  #if DEBUG
    /// Whether the optimiser was off, so that latencies are partly the harness's own.
    package static let isDebug = true
  #else
    /// Whether the optimiser was off, so that latencies are partly the harness's own.
    package static let isDebug = false
  #endif
}
