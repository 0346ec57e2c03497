import TestSupport
import WindTunnelSymptoms

@Suite struct SymptomTableTests {
  /// Those that a platform folds into another one cannot come back by their own name.
  #if canImport(Darwin)
    let folded: [Symptom: Symptom] = [.emptyAnswer: .connectionLost, .truncated: .connectionLost]
  #else
    let folded: [Symptom: Symptom] = [.offline: .connectionRefused]
  #endif

  @Test(arguments: Symptom.allCases)
  func `a symptom made into an error is named again`(symptom: Symptom) throws {
    let url = try #require(URL(string: "https://api.example.test/a"))
    let error = symptom.urlError(for: url, as: .current)
    expectEqual(Symptom(error), folded[symptom] ?? symptom)
    expectEqual(error.failingURL, url)
  }

  @Test(arguments: Symptom.allCases)
  func `Apple's errors carry Apple's codes everywhere`(symptom: Symptom) {
    expectEqual(symptom.urlError(for: nil, as: .apple).code, symptom.appleCode)
  }

  #if !canImport(Darwin)
    @Test(arguments: [
      (
        "error:0A000410:SSL routines::sslv3 alert handshake failure", Symptom.secureConnectionFailed
      ),
      ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a:1", .secureConnectionFailed),
      ("transfer closed with 900 bytes remaining to read", .truncated),
      ("transfer closed with outstanding read data remaining", .truncated),
      ("SSL certificate problem: certificate has expired", .serverCertificateHasBadDate),
      ("Malformed encoding found in chunked-encoding", .malformedResponse),
      ("Out of memory", .malformedResponse),
      ("Too large response headers: 307322 > 307200", .malformedResponse),
      ("Something nobody has seen", .unknown),
    ])
    func `libcurl's text tells what the code hides`(text: String, symptom: Symptom) {
      expectEqual(Symptom(code: .unknown, text: text), symptom)
    }
  #endif

  @Test func `an error of another kind has no symptom, a cancellation has`() {
    struct Other: Error {}
    expectNil(Symptom(Other()))
    expectEqual(Symptom(CancellationError()), .cancelled)
  }
}
