package import Foundation

// A certificate of the run's authority is to its client what a real one is to real clients: else no
// client would come as far as to compare a name or a date, unless its command had `{ca}` in it.
extension [String: String] {
  /// Names a file of certificates in every variable by which programs are told whom to trust.
  package mutating func trust(_ authorityFile: URL?) {
    guard let path = authorityFile?.path else { return }
    for name in AuthorityVariables.names { self[name] = path }
  }
}

/// The environment variables that name a file of trusted certificates.
enum AuthorityVariables {
  /// The variables of OpenSSL, Go, Ruby and Python (`SSL_CERT_FILE`), curl, Python's requests, the
  /// AWS tools, Deno, and Node, where the file's certificates are further ones.
  static let names = [
    "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE", "DENO_CERT",
    "NODE_EXTRA_CA_CERTS",
  ]
}
