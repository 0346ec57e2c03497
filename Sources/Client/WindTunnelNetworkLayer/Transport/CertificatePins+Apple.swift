#if canImport(Darwin)
  internal import CryptoKit
  public import Foundation
  internal import Security

  /// A session delegate that accepts only pinned certificates, in addition to the system's check.
  ///
  /// A pin is the SHA-256 of a certificate in DER, in base64. Pin two certificates per host,
  /// including the next one, so that an app continues to work after a renewal.
  public final class CertificatePins: NSObject, TrustJudging {
    private let pins: [String: Set<String>]
    private let refused = Locked<Set<String>>([])

    /// Creates a delegate with the pins of each host. The system alone checks a host without pins.
    public init(_ pins: [String: Set<String>]) { self.pins = pins }

    /// Checks a server's certificate against the pins of its host.
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

    /// Returns whether the most recent check refused the host's certificate.
    ///
    /// An accepted certificate resets this to `false`.
    public func isCertificateRefused(of host: String) -> Bool {
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
