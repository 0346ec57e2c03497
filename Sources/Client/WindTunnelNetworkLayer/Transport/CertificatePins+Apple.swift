#if canImport(Darwin)
  internal import CryptoKit
  public import Foundation
  internal import Security

  /// A session's delegate that trusts a host only with one of the certificates that the app knows,
  /// beside the system's own check.
  ///
  /// A pin is the SHA-256 of a certificate in DER, in base64. Two pins for each host, one of them
  /// of the next certificate, keep an app alive past a renewal.
  public final class CertificatePins: NSObject, TrustJudging {
    private let pins: [String: Set<String>]
    private let refused = Locked<Set<String>>([])

    /// Makes a delegate of the pins of each host; a host without pins is left to the system.
    public init(_ pins: [String: Set<String>]) { self.pins = pins }

    /// Checks a server's certificate.
    public func urlSession(
      _ session: URLSession,
      didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let space = challenge.protectionSpace
      guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust,
        let known = pins[space.host]
      else { return completionHandler(.performDefaultHandling, nil) }
      let trust = space.serverTrust.flatMap { Self.trust($0, to: known) }
      refused.withLock { refused in
        if trust == nil { refused.insert(space.host) } else { refused.remove(space.host) }
      }
      guard let trust else { return completionHandler(.cancelAuthenticationChallenge, nil) }
      completionHandler(.useCredential, URLCredential(trust: trust))
    }

    /// Tells whether the last check of a host's certificate refused it.
    public func hasRefusedCertificate(of host: String) -> Bool {
      refused.withLock { $0.contains(host) }
    }

    private static func trust(_ trust: SecTrust, to known: Set<String>) -> SecTrust? {
      guard SecTrustEvaluateWithError(trust, nil),
        let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate],
        chain.contains(where: { known.contains(pin($0)) })
      else { return nil }
      return trust
    }

    private static func pin(_ certificate: SecCertificate) -> String {
      let bytes = SecCertificateCopyData(certificate) as Data
      return Data(SHA256.hash(data: bytes)).base64EncodedString()
    }
  }
#endif
