#if !canImport(Darwin)
  internal import Foundation

  // libcurl's texts as of 7.88 and 8.x with OpenSSL 3. swift-corelibs-foundation maps few curl
  // codes and reports the others as `unknown` (-1), so only the text shows the symptom.
  extension Symptom {
    /// The fragments of texts with their symptoms: the first one that occurs in a text counts.
    ///
    /// The order matters if a text contains two fragments.
    private static let fragments: [(text: String, symptom: Symptom)] = [
      ("certificate has expired", .serverCertificateHasBadDate),
      ("certificate is not yet valid", .serverCertificateNotYetValid),
      ("unable to get local issuer certificate", .serverCertificateHasUnknownRoot),
      ("unable to get issuer certificate", .serverCertificateHasUnknownRoot),
      ("self-signed certificate in certificate chain", .serverCertificateHasUnknownRoot),
      ("self-signed certificate", .serverCertificateUntrusted),
      ("self signed certificate", .serverCertificateUntrusted),
      ("no alternative certificate subject name", .serverCertificateUntrusted),
      ("SSL certificate problem", .serverCertificateUntrusted),
      ("alert certificate required", .clientCertificateRequired),
      ("alert bad certificate", .clientCertificateRejected),
      ("alert unknown ca", .clientCertificateRejected),
      ("alert unsupported certificate", .clientCertificateRejected),
      ("alert certificate revoked", .clientCertificateRejected),
      ("alert certificate unknown", .clientCertificateRejected),
      // libcurl's text for the alert certificate_expired.
      ("SSL certificate verification failed", .clientCertificateRejected),
      ("SSL_ERROR_SYSCALL", .secureConnectionFailed),
      ("SSL_connect", .secureConnectionFailed),
      ("SSL routines", .secureConnectionFailed),
      ("TLS connect error", .secureConnectionFailed),
      ("wrong version number", .secureConnectionFailed),
      ("bytes remaining to read", .truncated),
      ("outstanding read data remaining", .truncated),
      ("end of response with", .truncated),
      ("Connection reset by peer", .connectionLost),
      ("Broken pipe", .connectionLost),
      ("Empty reply from server", .emptyAnswer),
      ("Could not resolve host", .hostNotFound),
      ("Network is unreachable", .offline),
      ("Network unreachable", .offline),
      ("content unencoding", .undecodableBody),
      ("incorrect header check", .undecodableBody),
      ("Unrecognized content encoding", .undecodableBody),
      ("HTTP/0.9", .malformedResponse),
      ("Unsupported HTTP version", .malformedResponse),
      ("Unsupported response code", .malformedResponse),
      ("Failed writing header", .malformedResponse),
      ("hexadecimal sequence", .malformedResponse),
      ("hexadecimal number", .malformedResponse),
      ("Malformed encoding found", .malformedResponse),
      // libcurl's text for a field that is too long (7.88), and for fields that are too long
      // together (later versions).
      ("Out of memory", .malformedResponse),
      ("Too large response headers", .malformedResponse),
      ("Header without colon", .malformedResponse),
      ("Nul byte in header", .malformedResponse),
      ("Invalid Content-Length", .malformedResponse),
    ]

    static func told(byPlatformCode code: URLError.Code, text: String) -> Symptom? {
      switch code {
      // Only CURLE_GOT_NOTHING has this code.
      case .badServerResponse: .emptyAnswer
      // CURLE_UNSUPPORTED_PROTOCOL is the code of invalid responses and of unknown schemes.
      case .unsupportedURL, .unknown, .networkConnectionLost, .cannotConnectToHost:
        fragments.first { text.contains($0.text) }?.symptom
      default: nil
      }
    }

    func surfaced(for url: URL?) -> (URLError.Code, String) {
      let host = url?.host ?? ""
      return switch self {
      case .connectionLost: (.networkConnectionLost, "Recv failure: Connection reset by peer")
      case .emptyAnswer: (.badServerResponse, "Empty reply from server")
      case .truncated: (.unknown, "transfer closed with bytes remaining to read")
      // Linux never reports -1009; without a network a connection attempt fails.
      case .connectionRefused, .offline:
        (.cannotConnectToHost, "Failed to connect to \(host): Couldn't connect to server")
      case .hostNotFound: (.cannotFindHost, "Could not resolve host: \(host)")
      case .malformedResponse: (.unsupportedURL, "Received HTTP/0.9 when not allowed")
      case .undecodableBody: (.unknown, "Error while processing content unencoding")
      case .secureConnectionFailed:
        (.unknown, "OpenSSL/3: error: SSL routines: alert handshake failure")
      case .serverCertificateUntrusted:
        (.unknown, "SSL certificate problem: self-signed certificate")
      case .serverCertificateHasBadDate:
        (.unknown, "SSL certificate problem: certificate has expired")
      case .serverCertificateNotYetValid:
        (.unknown, "SSL certificate problem: certificate is not yet valid")
      case .serverCertificateHasUnknownRoot:
        (.unknown, "SSL certificate problem: unable to get local issuer certificate")
      case .clientCertificateRequired: (.unknown, "SSL routines: alert certificate required")
      case .clientCertificateRejected: (.unknown, "SSL routines: alert bad certificate")
      case .timedOut, .cancelled, .tooManyRedirects, .badURL, .unsupportedURL, .unknown:
        (appleCode, rawValue)
      }
    }
  }
#endif
