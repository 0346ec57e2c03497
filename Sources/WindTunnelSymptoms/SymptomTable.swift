public import Foundation

extension Symptom {
  /// Whose errors a fault surfaces as in process.
  public enum Platform: String, Sendable, Hashable, CaseIterable {
    /// The errors of the platform the process runs on.
    case current
    /// Apple's errors, also on Linux: for suites that run there on behalf of an iOS client.
    case apple
  }

  /// The code that Apple's `URLSession` reports for this symptom.
  public var appleCode: URLError.Code {
    switch self {
    case .timedOut: .timedOut
    case .cancelled: .cancelled
    // CFNetwork does not tell a reset from an early end.
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

  /// Names what an error of a URL loading system means.
  ///
  /// Codes decide first; where a platform folds many failures into one code its text decides
  /// (Linux: libcurl's). What neither tells is ``unknown``. An error that is no `URLError` is
  /// `nil`, except a cancellation.
  public init?(_ error: any Error) {
    if error is CancellationError {
      self = .cancelled
    } else if let error = error as? URLError {
      self.init(code: error.code, text: error.localizedDescription)
    } else {
      return nil
    }
  }

  /// Names what a code and its text mean.
  public init(code: URLError.Code, text: String) {
    if let told = Self.told(byPlatformCode: code, text: text) {
      self = told
      return
    }
    switch code {
    case .timedOut: self = .timedOut
    case .cancelled, .userCancelledAuthentication: self = .cancelled
    case .networkConnectionLost: self = .connectionLost
    case .badServerResponse, .cannotParseResponse: self = .malformedResponse
    case .cannotDecodeRawData, .cannotDecodeContentData: self = .undecodableBody
    case .cannotConnectToHost: self = .connectionRefused
    case .cannotFindHost, .dnsLookupFailed: self = .hostNotFound
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
      self = .offline
    case .httpTooManyRedirects: self = .tooManyRedirects
    case .badURL: self = .badURL
    case .unsupportedURL: self = .unsupportedURL
    case .secureConnectionFailed: self = .secureConnectionFailed
    case .serverCertificateUntrusted: self = .serverCertificateUntrusted
    case .serverCertificateHasBadDate: self = .serverCertificateHasBadDate
    case .serverCertificateNotYetValid: self = .serverCertificateNotYetValid
    case .serverCertificateHasUnknownRoot: self = .serverCertificateHasUnknownRoot
    case .clientCertificateRejected: self = .clientCertificateRejected
    case .clientCertificateRequired: self = .clientCertificateRequired
    default: self = .unknown
    }
  }

  /// Makes the error that a client would get for this symptom at a URL.
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
