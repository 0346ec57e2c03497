public import Foundation
internal import WindTunnel

extension CertificateAuthority {
  /// Writes the certificate, without the key, to a file atomically.
  ///
  /// - Throws: `FileError.unwritable`.
  public func write(to file: URL) throws { try FileError.writing(Data(pem.utf8), to: file) }
}
