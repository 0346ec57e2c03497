internal import Foundation
internal import WindTunnelServer

/// The file that tells programs whom to trust: it holds the certificate of an authority that is made
/// for one subject in one scenario, and goes when that is over.
enum AuthorityFile {
  /// Whether there is one.
  enum Kind: Sendable, Hashable {
    /// Nobody is told.
    case none
    /// There is.
    case there
    /// There should be, and cannot: why, in a sentence.
    case missing(String)
  }

  /// Whether this machine can make authorities.
  static var kind: Kind {
    do throws(ServerError) {
      _ = try CertificateAuthority()
      return .there
    } catch {
      return .missing("\(error)")
    }
  }

  /// A place where no file is.
  static func place() -> URL {
    FileManager.default.temporaryDirectory
      .appending(path: "windtunnel-ca-\(UUID().uuidString).pem")
  }
}
