package import Foundation

// The client trusts a certificate of the run's authority as it trusts a real one. Otherwise no
// client would reach the comparison of a name or a date, unless its command contained `{ca}`.
extension [String: String] {
  /// Sets every variable by which programs find trusted certificates to a file.
  package mutating func trust(_ authorityFile: URL?) {
    guard let path = authorityFile?.path else { return }
    for name in AuthorityVariables.names { self[name] = path }
  }
}

/// The environment variables that name a file of trusted certificates.
enum AuthorityVariables {
  /// The variables of OpenSSL, Go, Ruby and Python (`SSL_CERT_FILE`), curl, Python's requests, the
  /// AWS tools, Deno, and Node. Node adds the file's certificates to its own.
  static let names = [
    "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE", "DENO_CERT",
    "NODE_EXTRA_CA_CERTS",
  ]
}
