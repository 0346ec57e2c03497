// What pinning asks of Security.framework.
import Foundation

public final class SecTrust {}
public final class SecCertificate {}
public final class CFError {}

public func SecTrustEvaluateWithError(
  _ trust: SecTrust,
  _ error: UnsafeMutablePointer<CFError?>?
) -> Bool { false }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> NSArray? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> NSData { NSData() }
