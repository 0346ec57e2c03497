public import Foundation

/// A failure as a client sees it, by name.
///
/// Cassettes, scenarios and reports store these names and never a platform's integers. On Linux
/// most failures share one `URLError` code, and the global `NSURLError…` constants for TLS are off
/// by one. The raw value is the name in every file.
public enum Symptom: String, Sendable, Hashable, Codable, CaseIterable {
  /// No data arrived within the client's timeout.
  case timedOut
  /// The caller cancelled the request; this is not a network failure.
  case cancelled
  /// The connection was reset.
  case connectionLost
  /// The connection ended before the first byte of a response.
  case emptyAnswer
  /// The connection ended before the declared end of the body.
  case truncated
  /// No process listens at the address.
  case connectionRefused
  /// The host name has no address.
  case hostNotFound
  /// The device has no network.
  case offline
  /// The received bytes are not valid HTTP.
  case malformedResponse
  /// The body cannot be decoded from its content coding.
  case undecodableBody
  /// The redirects did not end.
  case tooManyRedirects
  /// The text is not a URL.
  case badURL
  /// The URL's scheme is not supported.
  case unsupportedURL
  /// The TLS handshake failed: an alert, plain text, or a connection that closed during it.
  case secureConnectionFailed
  /// The server's certificate is not trusted: self-signed, or issued for another host.
  case serverCertificateUntrusted
  /// The server's certificate has expired.
  case serverCertificateHasBadDate
  /// The server's certificate is not valid yet.
  case serverCertificateNotYetValid
  /// The issuer of the server's certificate is unknown to the client.
  case serverCertificateHasUnknownRoot
  /// The server refused the client's certificate.
  case clientCertificateRejected
  /// The server requires a client certificate.
  case clientCertificateRequired
  /// Another failure, described by the platform's own text.
  case unknown

  /// The platform whose errors in-process faults imitate.
  public enum Platform: String, Sendable, Hashable, CaseIterable {
    /// The platform of the process.
    case current
    /// Apple's platforms, also on Linux: for test suites of an iOS client that run there.
    case apple
  }

  /// The code that Apple's `URLSession` reports for this symptom.
  public var appleCode: URLError.Code {
    switch self {
    case .timedOut: .timedOut
    case .cancelled: .cancelled
    // CFNetwork does not distinguish a reset from an early end.
    case .connectionLost, .emptyAnswer, .truncated: .networkConnectionLost
    case .connectionRefused: .cannotConnectToHost
    case .hostNotFound: .cannotFindHost
    case .offline: .notConnectedToInternet
    case .malformedResponse: .cannotParseResponse
    case .undecodableBody: .cannotDecodeRawData
    case .tooManyRedirects: .httpTooManyRedirects
    case .badURL: .badURL
    case .unsupportedURL: .unsupportedURL
    case .secureConnectionFailed: .secureConnectionFailed
    case .serverCertificateUntrusted: .serverCertificateUntrusted
    case .serverCertificateHasBadDate: .serverCertificateHasBadDate
    case .serverCertificateNotYetValid: .serverCertificateNotYetValid
    case .serverCertificateHasUnknownRoot: .serverCertificateHasUnknownRoot
    case .clientCertificateRejected: .clientCertificateRejected
    case .clientCertificateRequired: .clientCertificateRequired
    case .unknown: .unknown
    }
  }

  /// Finds the symptom of an error of a URL loading system; `nil` if it is neither a `URLError` nor
  /// a cancellation.
  ///
  /// The code decides first. If a platform uses one code for many failures, its text decides
  /// (Linux: libcurl's). If neither identifies the failure, the symptom is ``unknown``.
  public init?(_ error: any Error) {
    if error is CancellationError {
      self = .cancelled
    } else if let error = error as? URLError {
      self.init(code: error.code, text: error.localizedDescription)
    } else {
      return nil
    }
  }

  /// Finds the symptom of a code and its text.
  public init(code: URLError.Code, text: String) {
    if let told = Self.told(byPlatformCode: code, text: text) {
      self = told
      return
    }
    switch code {
    case .userCancelledAuthentication: self = .cancelled
    case .badServerResponse: self = .malformedResponse
    case .cannotDecodeContentData: self = .undecodableBody
    case .dnsLookupFailed: self = .hostNotFound
    case .dataNotAllowed, .internationalRoamingOff, .callIsActive: self = .offline
    // If several symptoms have the code, the first one is used: an early end looks like a reset.
    default: self = Self.allCases.first { $0.appleCode == code } ?? .unknown
    }
  }

  /// Creates the error that a client would receive for this symptom at a URL.
  public func urlError(for url: URL?, as platform: Platform) -> URLError {
    let code: URLError.Code
    let text: String
    switch platform {
    case .current: (code, text) = surfaced(for: url)
    case .apple: (code, text) = (appleCode, "\(rawValue) (as on Apple platforms)")
    }
    var details: [String: Any] = [NSLocalizedDescriptionKey: text]
    if let url {
      details[NSURLErrorFailingURLErrorKey] = url
      // The constant for this key is deprecated; clients still read the key.
      details["NSErrorFailingURLStringKey"] = url.absoluteString
    }
    return URLError(code, userInfo: details)
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 20)
